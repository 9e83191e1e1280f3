import { limits } from '../../src/base/limits.ts';
import { describeSessions } from './sessions.ts';

describeSessions(10_000);
describeSessions(limits.sessionsMax + 500);

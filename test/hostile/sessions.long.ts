import { limits } from '../../src/limits.ts';
import { describeSessions } from './sessions.ts';

describeSessions(10_000);
describeSessions(limits.sessionsMax + 500);

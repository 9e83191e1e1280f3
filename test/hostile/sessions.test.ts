import { describeSessions } from './sessions.ts';

describeSessions(300);

import { roundsOf } from '../support/random.ts';
import { describeKills } from './run-kills.ts';

describeKills(roundsOf(200));

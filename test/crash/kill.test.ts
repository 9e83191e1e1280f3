import { roundsOf } from '../support/random.ts';
import { describeKills } from './kills.ts';

describeKills(roundsOf(2));

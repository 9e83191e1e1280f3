import { roundsOf } from '../support/random.ts';
import { describeMessages } from './messages.ts';

describeMessages(roundsOf(150));

import { roundsOf } from '../support/random.ts';
import { describeRequests } from './requests.ts';

describeRequests(roundsOf(120));

import { roundsOf } from '../support/random.ts';
import { describeExports } from './exports.ts';

describeExports({ projects: roundsOf(2000), calls: roundsOf(20_000) });

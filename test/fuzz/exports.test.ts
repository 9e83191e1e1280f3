import { roundsOf } from '../support/random.ts';
import { describeExports } from './exports.ts';

describeExports({ projects: roundsOf(6), calls: roundsOf(80) });

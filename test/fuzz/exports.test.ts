import { roundsOf } from '../support/random.ts';
import { describeExports } from './exports.ts';

describeExports({ projects: roundsOf(12), calls: roundsOf(150) });

import { roundsOf } from '../support/random.ts';
import { describeImports } from './imports.ts';

describeImports(roundsOf(25));

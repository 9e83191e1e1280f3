import { roundsOf } from '../support/random.ts';
import { describeForeignImports, describeImports } from './imports.ts';

describeImports(roundsOf(25));
describeForeignImports(roundsOf(25));

import { roundsOf } from '../support/random.ts';
import { describeForeignImports, describeImports } from './imports.ts';

describeImports(roundsOf(2000));
describeForeignImports(roundsOf(2000));

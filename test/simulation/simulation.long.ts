import { longCasts } from './casts.ts';
import { simulateFor } from './suite.ts';

describe('The store in simulations of half an hour', () => {
  for (const [name, without] of Object.entries(longCasts))
    it(`serves, writes and remembers what ${name} do`, () =>
      simulateFor((30 * 60) / Object.keys(longCasts).length, without));
});

import { casts } from './casts.ts';
import { simulateFor } from './suite.ts';

describe('The store in simulations of half an hour', () => {
  for (const [cast, without] of Object.entries(casts))
    it(`serves, writes and remembers what ${cast} do`, () =>
      simulateFor((30 * 60) / Object.keys(casts).length, without));
});

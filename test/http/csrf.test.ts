import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { requireOwnOrigin } from '../../src/http/csrf.ts';

describe('The Origin check of link pages', () => {
  const baseUrl = 'https://plan.example.org/';

  it("accepts the service's own Origin and requests without one, as programs send [D10.csrf]", () => {
    requireOwnOrigin({}, baseUrl);
    requireOwnOrigin({ origin: 'https://plan.example.org' }, baseUrl);
    for (const origin of [
      'https://evil.example',
      'http://plan.example.org',
      'https://plan.example.org:8443',
      'null',
      '',
    ]) {
      try {
        requireOwnOrigin({ origin }, baseUrl);
        expect.fail(`${origin} was let in`);
      } catch (error) {
        expect((error as PlannerError).code, origin).to.equal('forbidden');
      }
    }
  });
});

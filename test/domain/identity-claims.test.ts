import { expect } from 'chai';
import { claimsOf, isComplete, isVerified, ownerGroupOf } from '../../src/domain/people/claims.ts';
import type { Claims, OwnerRules } from '../../src/domain/people/claims.ts';

type Values = Readonly<Record<string, unknown>>;

const tenant = '3f8a1c52-0000-4000-8000-9d2f6a1b7c3e';
const entra = `https://login.microsoftonline.com/${tenant}/v2.0`;
const cognito = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf';

const claims = (token: Values, info?: Values): Claims =>
  claimsOf({ iss: 'https://id.example', sub: 'u1', ...token }, info);
const rules = (more: Partial<OwnerRules> = {}): OwnerRules => ({ owners: new Set(), ...more });

describe('The claims of identity providers about a person [D13.sign-in]', () => {
  it('is read in the shape of each of them', () => {
    for (const [provider, token, info, expected] of [
      [
        'Google',
        { email: 'ada@example.org', email_verified: true, name: 'Ada', hd: 'example.org' },
        undefined,
        { email: 'ada@example.org', emailVerified: true, name: 'Ada' },
      ],
      [
        'Cognito',
        { 'cognito:username': 'ada', 'cognito:groups': ['owners'] },
        { sub: 'u1', email: 'ada@example.org', email_verified: 'true' },
        { email: 'ada@example.org', emailVerified: true, name: undefined, groups: ['owners'] },
      ],
      [
        'Entra',
        { email: 'ada@example.org', preferred_username: 'ada@corp.example', tid: tenant, groups: ['2b1c'] },
        undefined,
        { email: 'ada@example.org', emailVerified: undefined, name: 'ada@corp.example', tenant, groups: ['2b1c'] },
      ],
      [
        'Okta',
        { preferred_username: 'ada@example.org', name: 'Ada' },
        { sub: 'u1', email: 'ada@example.org', email_verified: true, groups: ['Everyone', 'Owners'] },
        { email: 'ada@example.org', emailVerified: true, name: 'Ada', groups: ['Everyone', 'Owners'] },
      ],
      [
        'Keycloak',
        { email: 'ada@example.org', email_verified: false, preferred_username: 'ada', groups: ['/owners'] },
        undefined,
        { email: 'ada@example.org', emailVerified: false, name: 'ada', groups: ['/owners'] },
      ],
      [
        'Authentik',
        { email: 'ada@example.org', email_verified: false, name: 'Ada', groups: 'owners' },
        undefined,
        { emailVerified: false, name: 'Ada', groups: ['owners'] },
      ],
    ] as const)
      expect(claims(token, info), provider).to.deep.include(expected);
  });

  it('has a verified address only if that says so, as a boolean or a text', () => {
    for (const value of [true, 'true', 'True', 'TRUE'])
      expect(isVerified(claims({ email: 'a@x', email_verified: value }), rules()), String(value)).to.equal(true);
    for (const value of [false, 'false', 'no', '', 'truely', 1, 0, {}, [], ['x', true], ['true'], undefined, null])
      expect(isVerified(claims({ email: 'a@x', email_verified: value }), rules()), JSON.stringify(value)).to.equal(
        false,
      );
    // The verification of one address proves nothing about another.
    const mixed = claims({ email: 'a@x' }, { sub: 'u1', email: 'b@x', email_verified: true });
    expect([mixed.email, mixed.emailVerified]).to.deep.equal(['a@x', undefined]);
  });

  it('has an address that counts unverified only if the provider is silent and the operator trusts its tenant', () => {
    const silent = claims({ iss: entra, email: 'a@x', tid: tenant });
    const trusting = (...trusted: string[]): OwnerRules => rules({ trustedTenants: new Set(trusted) });
    for (const trusted of [entra, tenant, tenant.toUpperCase()])
      expect(isVerified(silent, trusting(trusted)), trusted).to.equal(true);
    for (const trusted of ['x', `${tenant}0`, 'https://login.microsoftonline.com/', entra.slice(0, -4)])
      expect(isVerified(silent, trusting(trusted)), trusted).to.equal(false);
    expect(isVerified(claims({ iss: entra, email: 'a@x', email_verified: false }), trusting(entra))).to.equal(false);
    expect(isVerified(claims({ iss: 'https://id.example/', email: 'a@x' }), trusting('https://id.example'))).to.equal(
      true,
    );
  });

  it('names groups, which count only for the issuer and the group that the operator names', () => {
    const ownerGroups = [
      { issuer: cognito, group: 'owners' },
      { issuer: 'https://id.example', group: '/plan/owners' },
    ];
    const group = (token: Values): string | undefined => ownerGroupOf(claims(token), rules({ ownerGroups }));
    expect(group({ iss: cognito, 'cognito:groups': ['a', 'owners'] })).to.equal('owners');
    expect(group({ iss: 'https://id.example/', groups: ['/plan/owners'] })).to.equal('/plan/owners');
    for (const token of [
      { iss: 'https://id.example', groups: ['owners'] },
      { iss: cognito, groups: ['/plan/owners'] },
      { iss: cognito, roles: ['owners'], preferred_username: 'owners', name: 'owners' },
      { iss: cognito, groups: 'a,owners' },
      { iss: cognito, groups: { owners: true } },
      { iss: cognito },
    ])
      expect(group(token), JSON.stringify(token)).to.equal(undefined);
    expect(ownerGroupOf(claims({ groups: ['owners'] }), rules())).to.equal(undefined);
  });

  it('is requested where the ID token is not all of it', () => {
    const ownerGroups = [{ issuer: cognito, group: 'owners' }];
    expect(isComplete({ email: 'a@x' }, {})).to.equal(true);
    for (const token of [{}, { email: null }, { email: '' }]) {
      expect(isComplete(token, {})).to.equal(false);
      expect(claims(token, { sub: 'u1', email: 'a@x', email_verified: 'true' })).to.include({
        email: 'a@x',
        emailVerified: true,
      });
    }
    expect(isComplete({ email: 'a@x' }, { ownerGroups })).to.equal(false);
    expect(isComplete({ email: 'a@x', groups: [] }, { ownerGroups })).to.equal(true);
  });
});

import { generateKeyPairSync } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { freePort } from './server-process.ts';

/** The user who signs in at the provider, with the claims of the identity token. */
export interface Person {
  readonly sub: string;
  readonly email: string;
  /** A text at some providers, absent at others. */
  readonly email_verified?: boolean | string;
  readonly name?: string;
  readonly preferred_username?: string;
}

export const client = { id: 'planner', secret: 'a secret of this test' };

type Kept = Readonly<Record<string, unknown>> & { readonly uid?: string };

/** The provider's storage, as long as the test lasts: its own adapter warns on every start that it forgets. */
class Memory {
  static readonly #kept = new Map<string, Kept>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async upsert(id: string, payload: Kept): Promise<void> {
    Memory.#kept.set(`${this.#kind} ${id}`, payload);
  }

  async find(id: string): Promise<Kept | undefined> {
    return Memory.#kept.get(`${this.#kind} ${id}`);
  }

  async findByUid(uid: string): Promise<Kept | undefined> {
    return [...Memory.#kept].find(([key, kept]) => key.startsWith(`${this.#kind} `) && kept.uid === uid)?.[1];
  }

  async consume(id: string): Promise<void> {
    const kept = await this.find(id);
    if (kept !== undefined) await this.upsert(id, { ...kept, consumed: 1 });
  }

  async destroy(id: string): Promise<void> {
    Memory.#kept.delete(`${this.#kind} ${id}`);
  }

  async revokeByGrantId(): Promise<void> {
    // Everything ends with the test.
  }
}

export interface IdentityProviderOptions {
  /** The address is in the ID token; else it comes from the userinfo endpoint. */
  readonly inIdToken?: boolean;
  /** True if it has a userinfo endpoint. */
  readonly userInfo?: boolean;
  /** How the client shows its secret; `none`: it has no secret. Default: by any of them. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Default: a free one. */
  readonly port?: number;
}

/** A real OpenID provider on loopback. Every visitor is signed in as `person`, without a form. */
export class IdentityProvider {
  readonly issuer: string;
  /** Publishes keys of the same names that its tokens are not signed with, as for tokens signed by another. */
  publishesOtherKeys = false;
  person: Person = { sub: 'ada', email: 'Ada@example.org', email_verified: true, name: 'Ada Lovelace' };
  /** For each request for a token: true if the client's secret was shown in the header. */
  readonly shownInHeader: boolean[] = [];
  readonly #server: Server;

  static async start(redirectUri: string, options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
    const port = options.port ?? (await freePort());
    const provider = new IdentityProvider(`http://127.0.0.1:${port}`, redirectUri, options);
    await new Promise<void>((resolve) => provider.#server.listen(port, '127.0.0.1', resolve));
    return provider;
  }

  private constructor(
    issuer: string,
    redirectUri: string,
    { inIdToken = false, userInfo = true, authMethod }: IdentityProviderOptions,
  ) {
    this.issuer = issuer;
    const secret = authMethod === 'none' ? {} : { client_secret: client.secret };
    const method = authMethod === undefined ? {} : { token_endpoint_auth_method: authMethod };
    const provider = new Provider(issuer, {
      adapter: Memory,
      clients: [{ client_id: client.id, ...secret, ...method, redirect_uris: [redirectUri] }],
      ...(authMethod !== undefined && { clientAuthMethods: [authMethod] }),
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'] },
      conformIdTokenClaims: !inIdToken,
      cookies: { keys: ['of this test'] },
      features: { devInteractions: { enabled: false }, userinfo: { enabled: userInfo } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      jwks: {
        keys: [ecKey(), rsaKey()],
      },
      pkce: { required: () => true },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...this.person, sub: id }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    });
    const serve = provider.callback();
    this.#server = createServer((request, response) => {
      if (request.url === '/token') this.shownInHeader.push(request.headers.authorization !== undefined);
      if (this.publishesOtherKeys && request.url === '/jwks') return publishOtherKeys(response);
      if (request.url?.startsWith('/interaction/') !== true) return serve(request, response);
      const login = { login: { accountId: this.person.sub, remember: false } };
      void provider.interactionFinished(request, response, login);
    });
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

function ecKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'ec' };
}

function rsaKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'rsa', use: 'sig' };
}

function publishOtherKeys(response: ServerResponse): void {
  const keys = [ecKey(), rsaKey()].map(({ kty, crv, x, y, n, e, kid, use }) => ({ kty, crv, x, y, n, e, kid, use }));
  response.writeHead(200, { 'Content-Type': 'application/jwk-set+json' });
  response.end(JSON.stringify({ keys }));
}

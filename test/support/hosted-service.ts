import type { AccessSettings, OpenIdSettings } from '../../src/base/config.ts';
import type { Clock } from '../../src/base/clock.ts';
import { Browser } from './browser.ts';
import { RestClient } from './rest-client.ts';
import { freePort } from './server-process.ts';
import { TestService } from './service.ts';
import type { TestServiceOptions } from './service.ts';

export interface HostedOptions {
  /** Default: where the service listens. */
  readonly baseUrl?: string;
  readonly trustedProxies?: number;
  readonly password?: string;
  readonly openId?: OpenIdSettings;
  readonly clock?: Clock;
  /** Default: one that is free. */
  readonly port?: number;
  readonly timeouts?: TestServiceOptions['timeouts'];
  readonly agentBytesPerDay?: number;
  readonly webhookHosts?: TestServiceOptions['webhookHosts'];
}

export const bearer = (secret: string): { Authorization: string } => ({ Authorization: `Bearer ${secret}` });

/** A hosted service in this process, with its owner. */
export class HostedService {
  static readonly admin = 'pln_admin_of-this-test';
  readonly service: TestService;
  /** The base URL. */
  readonly baseUrl: string;
  /** Calls as the owner, with what `local/admin` would hold. */
  readonly owner: RestClient;
  readonly browser: Browser;

  static async start(options: HostedOptions = {}): Promise<HostedService> {
    const {
      baseUrl,
      trustedProxies = 0,
      password,
      openId,
      clock,
      port = await freePort(),
      timeouts,
      agentBytesPerDay,
      webhookHosts,
    } = options;
    const url = baseUrl ?? `http://127.0.0.1:${port}`;
    const access: AccessSettings = {
      admin: HostedService.admin,
      hosted: { baseUrl: url, trustedProxies, ...(openId === undefined ? {} : { openId }) },
      ...(password === undefined ? {} : { password }),
    };
    const more = {
      ...(clock === undefined ? {} : { clock }),
      ...(timeouts === undefined ? {} : { timeouts }),
      ...(agentBytesPerDay === undefined ? {} : { agentBytesPerDay }),
      ...(webhookHosts === undefined ? {} : { webhookHosts }),
    };
    return new HostedService(await TestService.start({ port, access, ...more }), url);
  }

  private constructor(service: TestService, baseUrl: string) {
    this.service = service;
    this.baseUrl = baseUrl;
    this.owner = new RestClient(service.url, bearer(HostedService.admin));
    this.browser = new Browser();
  }

  get url(): string {
    return this.service.url;
  }

  /** A new key's id and secret. */
  async key(
    kind: 'owner' | 'agent',
    more: { project_id?: string; name?: string } = {},
  ): Promise<{ id: string; secret: string }> {
    const { status, body } = await this.owner.post('/keys', { kind, ...more });
    if (status !== 201) throw new Error(`The key was not made: ${JSON.stringify(body)}`);
    return body as { id: string; secret: string };
  }

  async project(name = 'Plan'): Promise<string> {
    return (await this.owner.post('/projects', { name })).body.id as string;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { httpRequest, textOf } from '../../client/http-request.ts';
import { PlannerError } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { loopbackCallback } from './loopback.ts';
import { openBrowser } from './open-browser.ts';

const path = '/sign-in/program';
const stateBytes = 18;
const verifierBytes = 32;

/** Returns whether people sign in to a service in the browser: elsewhere this page does not exist. */
export async function signsInByBrowser(url: string): Promise<boolean> {
  try {
    const response = await httpRequest(url + path);
    await textOf(response);
    // The request is empty, so the page exists where it is rejected.
    return response.status === 400;
  } catch {
    return false;
  }
}

/**
 * Signs in with the browser: an authorization code with PKCE (RFC 7636), brought to a port of this machine, or, if the
 * browser is on another machine, pasted here. Resolves with the owner key that the service makes.
 */
export async function keyByBrowser(
  deps: ProgramDeps,
  url: string,
  { onOtherMachine }: { readonly onOtherMachine: boolean },
): Promise<string> {
  const state = randomToken(stateBytes);
  const verifier = randomToken(verifierBytes);
  const callback = onOtherMachine ? undefined : await loopbackCallback(state);
  try {
    const query = new URLSearchParams({
      ...(callback === undefined ? {} : { redirect_uri: callback.redirectUri }),
      ...{ state, code_challenge: hash('sha256', verifier, 'base64url'), code_challenge_method: 'S256' },
      device: hostname(),
    });
    const code = await codeFrom(deps, `${url}${path}?${query.toString()}`, callback?.code);
    return await exchange(url, {
      ...{ code, code_verifier: verifier },
      ...(callback === undefined ? {} : { redirect_uri: callback.redirectUri }),
    });
  } finally {
    callback?.close();
  }
}

async function codeFrom(deps: ProgramDeps, address: string, brought: Promise<string> | undefined): Promise<string> {
  if (brought === undefined) {
    deps.remark(`Sign in at\n  ${address}`);
    return (await deps.askSecret!('Code from that page: ')).trim();
  }
  const isOpen = await openBrowser(address, {
    browser: deps.environment().browser,
    homeDirectory: deps.homeDirectory,
  });
  const how = isOpen
    ? 'Sign in in the browser. If it shows nothing, open'
    : 'Sign in by opening this address in the browser:';
  deps.remark(`${how}\n  ${address}`);
  return brought;
}

async function exchange(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const response = await httpRequest(`${url}${path}/key`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  const answer = JSON.parse(await textOf(response)) as { readonly secret?: string; readonly message?: string };
  if (answer.secret !== undefined) return answer.secret;
  throw new PlannerError('unauthorized', answer.message ?? `${url} responded with ${response.status}.`);
}

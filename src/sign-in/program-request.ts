import { PlannerError } from '../base/errors.ts';
import type { ProgramRequest } from '../operations/access/sign-in-desk.ts';
import { plainLine } from '../base/printable.ts';

const deviceCharactersMax = 100;

const loopbackCallback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{0,4}\/callback$/;

/** Reads a request from a query or a form. Throws `invalid_argument` with the member. */
export function programRequest(fields: Readonly<Record<string, string>>): ProgramRequest {
  const { redirect_uri: redirectUri, state = '', code_challenge: challenge = '', device = '' } = fields;
  const invalid = (field: string, right: string): PlannerError =>
    new PlannerError('invalid_argument', `${field} is missing or invalid: it is ${right}.`, { field });
  if (redirectUri !== undefined && !loopbackCallback.test(redirectUri))
    throw invalid('redirect_uri', 'http://127.0.0.1:<port>/callback');
  if (!/^[\w-]{16,200}$/.test(state)) throw invalid('state', '16 to 200 random characters of base64url');
  if (!/^[\w-]{43}$/.test(challenge)) throw invalid('code_challenge', 'the SHA-256 of the verifier as base64url');
  if (fields['code_challenge_method'] !== 'S256') throw invalid('code_challenge_method', 'S256');
  const name = plainLine(device).slice(0, deviceCharactersMax);
  if (name === '') throw invalid('device', 'the name of the machine');
  return { redirectUri, state, challenge, device: name };
}

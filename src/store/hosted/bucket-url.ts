import { invalid } from '../../errors.ts';

/** Where the objects of a workspace are. */
export interface BucketAddress {
  readonly bucket: string;
  /** Of every object: empty, or with a slash at its end. */
  readonly prefix: string;
  /** The URL of the store; undefined: that of AWS. */
  readonly endpoint: string | undefined;
  /** Undefined: that of the environment or of the user's profile. */
  readonly region: string | undefined;
  /** Whether the bucket is part of the path rather than of the host. */
  readonly pathStyle: boolean;
}

const parameters = ['endpoint', 'region', 'path-style'];
/** Letters, digits, dots and hyphens, as S3 has them; some stores also allow underscores. */
const bucketPattern = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;
/** The names of objects are used in URLs as they are. */
const prefixPattern = /^[\w!.*'()-]+(?:\/[\w!.*'()-]+)*$/;

/**
 * Reads `s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1&path-style=on`, of which only the bucket is
 * required. `endpoint` is that of the environment. Throws `invalid_argument` with `field`.
 */
export function parseBucketUrl(text: string, endpoint: string | undefined, field: string): BucketAddress {
  const fail = (message: string): never => {
    throw invalid(field, `${message} It is a URL as s3://bucket/prefix?endpoint=https://s3.example.org&region=eu-1.`);
  };
  const [, authority = '', path = '', query = ''] =
    /^s3:\/\/([^/?#]*)\/?([^?#]*)(?:\?([^#]*))?$/.exec(text) ?? fail('The bucket of files is no S3 URL.');
  // Not shown: it may be a password.
  if (authority.includes('@'))
    fail('Credentials are no part of the URL of a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  if (!bucketPattern.test(authority)) fail(`${JSON.stringify(authority)} is not the name of a bucket.`);
  const prefix = path.replace(/\/$/, '');
  if (!isPrefix(prefix))
    fail(`The prefix ${JSON.stringify(path)} has other characters than letters, digits and any of / ! - _ . * ' ( ).`);
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) fail(`${JSON.stringify(unknown)} is none of ${parameters.join(', ')}.`);
  const style = given.get('path-style') ?? undefined;
  if (style !== undefined && style !== 'on' && style !== 'off') fail('path-style is on or off.');
  const url = given.get('endpoint') ?? endpoint;
  if (url !== undefined && !isHttpUrl(url)) fail(`The endpoint ${JSON.stringify(url)} is not an http or https URL.`);
  return {
    bucket: authority,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: url,
    region: given.get('region') ?? undefined,
    // Stores other than AWS seldom have a host of its own for each bucket.
    pathStyle: style === undefined ? url !== undefined : style === 'on',
  };
}

function isPrefix(text: string): boolean {
  return text === '' || (prefixPattern.test(text) && !text.split('/').some((part) => /^\.\.?$/.test(part)));
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** Sets the variables of AWS for the tests of a suite. */
export function withBucketKeys({
  accessKey,
  secretKey,
}: {
  readonly accessKey: string;
  readonly secretKey: string;
}): void {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;
  const former = new Map<string, string | undefined>();
  before(() => {
    for (const [at, name] of names.entries()) {
      former.set(name, process.env[name]);
      process.env[name] = [accessKey, secretKey][at]!;
    }
  });
  after(() => {
    for (const [name, value] of former)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
}

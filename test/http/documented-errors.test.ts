import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { errorCodes, errorMeanings } from '../../src/base/errors.ts';
import { statusOf } from '../../src/http/status.ts';

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('Error codes', () => {
  it('are the same in code, schema, OpenAPI and documentation, with the same statuses [A.errors]', () => {
    const documented = [...text('schemas/README.md').matchAll(/^\| `([a-z_]+)` +\| (\d{3}) +\| (.*?) +\|$/gm)].map(
      ([, code, status, when]) => [code, Number(status), when],
    );
    expect(documented).to.deep.equal(errorCodes.map((code) => [code, statusOf[code], errorMeanings[code]]));
    const schema = JSON.parse(text('schemas/error.json')) as { $defs: { ErrorCode: { enum: string[] } } };
    expect(schema.$defs.ErrorCode.enum).to.deep.equal([...errorCodes]);
    expect(text('schemas/generated/openapi.json')).to.contain('"blocked_by_incomplete_tasks"');
  });
});

import { expect } from 'chai';
import { codeSpans, documents, missingIn, Names } from './documented.ts';

describe('The documents', () => {
  const names = new Names();

  it('name paths, names, scripts, commands and routes that exist [A.documents]', () => {
    const missing = documents.flatMap((path) => missingIn(path, names).map((span) => `${path}: ${span}`));
    expect(missing).to.deep.equal([]);
  });

  it('are searched for each kind of name [A.documents]', () => {
    const found = (span: string): boolean => !names.isMissing(span, 'src/README.md');
    for (const [present, absent] of [
      ['src/base/limits.ts', 'src/patience.ts'],
      ['store/files/', 'store/rooms/'],
      ['limits.ts', 'patience.ts'],
      ['PLANNER_PORT', 'PLANNER_DOOR'],
      ['readEnvironment', 'readSurroundings'],
      ['get_next_task', 'get_former_task'],
      ['npx mocha test/gate/names.test.ts', 'npx mocha test/gate/patience.test.ts'],
      ['npm run generate', 'npm run degenerate'],
      ['planner task add "Dig" --priority high', 'planner task add "Dig" --patience high'],
      ['planner doctor', 'planner nurse'],
      ['GET /api/v1/files/:id', 'GET /api/v1/doors/:id'],
      ['DELETE /sign-ins/<id>', 'PUT /sign-ins/<id>'],
    ] as const) {
      expect(found(present), present).to.equal(true);
      expect(found(absent), absent).to.equal(false);
    }
    expect([...codeSpans('`a b` and ``no``\n\n```sh\n`c`\n```\n')]).to.deep.equal(['a b']);
  });
});

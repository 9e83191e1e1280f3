import { expect } from 'chai';
import { parse } from 'jsonc-parser';
import { readJsonc, setMember } from '../../src/cli/connect/edit-json.ts';

const entry = { command: 'planner', args: ['mcp'] };
const path = ['servers', 'planner'];

describe('Setting a member of a JSON file with comments', () => {
  const cases: readonly (readonly [title: string, before: string, after: string])[] = [
    [
      'makes a file',
      '',
      '{\n  "servers": {\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}\n',
    ],
    [
      'is added after the others, in their indentation',
      '{\n\t"servers": {\n\t\t// mine\n\t\t"other": { "command": "x" } // one line\n\t}\n}\n',
      '{\n\t"servers": {\n\t\t// mine\n\t\t"other": { "command": "x" }, // one line\n\t\t"planner": {\n\t\t\t"command": "planner",\n\t\t\t"args": ["mcp"]\n\t\t}\n\t}\n}\n',
    ],
    [
      'keeps trailing commas',
      '{\n    "servers": {\n        "other": {}, // a, b\n    },\n}',
      '{\n    "servers": {\n        "other": {}, // a, b\n        "planner": {\n            "command": "planner",\n            "args": ["mcp"]\n        },\n    },\n}',
    ],
    [
      'fits on one line',
      '{"servers": {"other": {}}}',
      '{"servers": {"other": {}, "planner": {"command":"planner","args":["mcp"]}}}',
    ],
    [
      'opens an empty object',
      '{\n  "servers": {}\n}\n',
      '{\n  "servers": {\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }\n  }\n}\n',
    ],
    [
      'opens one with a comment only',
      '{\n  "servers": {\n    // none yet, but soon\n  }\n}\n',
      '{\n  "servers": {\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }\n    // none yet, but soon\n  }\n}\n',
    ],
    [
      'keeps CRLF',
      '{\r\n  "a": 1\r\n}\r\n',
      '{\r\n  "a": 1,\r\n  "servers": {\r\n    "planner": {\r\n      "command": "planner",\r\n      "args": ["mcp"]\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      'replaces a value in its place',
      '{\n  "servers": {\n    "planner": 1, /* mine */\n    "z": 2\n  }\n}',
      '{\n  "servers": {\n    "planner": {\n      "command": "planner",\n      "args": ["mcp"]\n    }, /* mine */\n    "z": 2\n  }\n}',
    ],
  ];
  for (const [title, before, after] of cases) {
    it(title, () => {
      const edited = setMember(before, path, entry);
      expect(edited).to.equal(after);
      expect(parse(edited, [], { allowTrailingComma: true })).to.deep.nested.include({ 'servers.planner': entry });
      expect(setMember(edited, path, entry)).to.satisfy((text: string) => parse(text) !== undefined);
    });
  }

  it('names the line of a syntax error', () => {
    expect(() => readJsonc('{\n  "a": ,\n}', 'x.json')).to.throw('x.json is not valid JSON (line 2');
    expect(() => readJsonc('[]', 'x.json')).to.throw('does not contain a JSON object');
    expect(readJsonc('// c\n{"a": 1,}', 'x.json')).to.deep.equal({ a: 1 });
  });
});

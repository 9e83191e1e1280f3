import { expect } from 'chai';
import { decode, encode } from '../../src/store/files/codec/codec.ts';
import { depthMax } from '../../src/store/files/codec/node.ts';
import { nastyJson, nastyText } from '../support/nasty-texts.ts';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { canvasShape, documentShape, taskShape } from '../support/shapes.ts';

/** Fragments with a meaning in YAML, JSON, Markdown or git. */
const pieces = [
  ...[
    '---\n',
    '\n---\n',
    '---js\n',
    '...\n',
    '&a ',
    '*a',
    '<<: *a',
    '!!js/function ',
    '!!binary ',
    '? ',
    ': ',
    '- ',
    '|\n',
    '>-\n',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\\',
    '#',
    '%YAML 1.1\n',
    '\t',
    '\r',
    '\u0000',
    '\u2028',
    '\ufeff',
    '\ud800',
    '<!-- planner {',
    '-->',
  ],
  ...[
    '__proto__: ',
    '"__proto__": ',
    'constructor: ',
    'id: ',
    'links:\n  - ',
    '<<<<<<< a\n',
    '=======\n',
    '>>>>>>> b\n',
    '.inf',
    '0x',
    '~',
  ],
];

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** A number of broken record files, each made from a valid one. */
export function describeFiles(count: number): void {
  describe('random record files', function () {
    this.timeout(count * 60 + 60_000);

    it('broken in any way are read or rejected with a line and a reason, and never throw or change a prototype [A.trust.bad-input, A.hostile.prototypes]', () => {
      const random = Random.announced('record files');
      let bad = 0;
      for (let n = 0; n < count; n++) {
        const shape = random.pick([documentShape, taskShape, canvasShape]);
        const bytes = spoiled(random, sound(random, shape));
        const decoded = decode(shape, bytes);
        const what = JSON.stringify(bytes.toString('latin1').slice(0, 1000));
        if (decoded.ok) {
          expect(Object.getPrototypeOf(decoded.fields), what).to.equal(Object.prototype);
          expect(depthOf(decoded.fields), what).to.be.at.most(depthMax + 2);
        } else {
          bad++;
          expect(decoded.line, what).to.be.within(1, 1 + bytes.length);
          expect(decoded.reason.length, what).to.be.above(10);
        }
      }
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
      expect(Object.keys(Object.prototype)).to.deep.equal([]);
      expect(bad).to.be.within(count / 20, count);
      reached(
        'random record files, of which were bad inputs',
        `${count.toLocaleString('en-US')}, ${bad.toLocaleString('en-US')} (seed ${random.seed})`,
      );
    });
  });
}

function sound(random: Random, shape: typeof documentShape): Buffer {
  const text = (): string => nastyText(random).toWellFormed();
  const id = { id: 'tsk_1' };
  if (shape === canvasShape) return encode(shape, { ...id, name: text(), layout: { a: nastyJson(random) } });
  if (shape === documentShape) return encode(shape, { ...id, title: text(), position: { x: 1 }, body: text() });
  return encode(shape, { ...id, label: text(), tags: ['a', 'b'], description: text(), links: [{ to: 'tsk_2' }] });
}

function spoiled(random: Random, bytes: Buffer): Buffer {
  let made = bytes;
  for (let faults = random.integer(1, 4); faults > 0; faults--) {
    const at = random.integer(0, made.length);
    const behind = Math.min(made.length, at + random.pick([0, 0, 1, 5, 50]));
    const piece = random.chance(0.1)
      ? random.pick(pieces).repeat(random.integer(2, 3000))
      : random.chance(0.2)
        ? '__proto__: {polluted: 1}\n'
        : random.pick(pieces);
    const between = random.chance(0.1) ? Buffer.from([random.integer(128, 255)]) : Buffer.from(piece);
    made = Buffer.concat([made.subarray(0, at), between, made.subarray(behind)]);
  }
  return made;
}

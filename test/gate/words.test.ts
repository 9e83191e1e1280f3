import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/server-process.ts';
import { countedTexts, type Group, groups, mostPerThousand, rowsOf, sentencesOf } from './sentences.ts';
import { namesOf, textFiles, textsOf, textsOfDocument, textsOfProgram } from './texts.ts';
import { allowedTexts, privateNames, privateWords } from './words.ts';

const allowed = [...allowedTexts.keys()];

/** The private words of a text, each with what to write instead. */
function wordsIn(text: string): string[] {
  if (allowed.some((part) => text.includes(part))) return [];
  return privateWords.flatMap(({ pattern, instead }) => {
    const [word] = pattern.exec(text) ?? [];
    return word === undefined ? [] : [`"${word.trim()}" (${instead})`];
  });
}

/** The words of a name: of `onWatchLost` on, watch and lost. */
const partsOf = (name: string): string[] =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/).map((part) => part.toLowerCase());
const privatePart = (name: string): boolean => partsOf(name).some((part) => privateNames.has(part));

/** Every source and document, parsed once for its words and its sentences: that takes most of the time of these tests. */
const files = textFiles(repository).map((path) => {
  const content = readFileSync(join(repository, path), 'utf8');
  return { path, texts: textsOf(content, path), names: [...path.split('/'), ...namesOf(content, path)] };
});

describe('The words of the project [A.words]', () => {
  it('are common terms in comments, messages, titles and documents', () => {
    const found = files
      .flatMap(({ texts }) => texts)
      .flatMap(({ path, line, text }) => wordsIn(text).map((word) => `${path}:${line}: ${word} in: ${text}`));
    expect(found.length, found.join('\n')).to.equal(0);
  });

  it('are common terms in names of files and declarations', () => {
    const found = files.flatMap(({ path, names }) => names.filter(privatePart).map((name) => `${path}: ${name}`));
    expect(found.length, found.join('\n')).to.equal(0);
  });

  it('have exceptions only for texts that exist', () => {
    const unused = allowed.filter((part) => !files.some(({ texts }) => texts.some(({ text }) => text.includes(part))));
    expect(unused).to.deep.equal([]);
  });
});

describe('The sentences of the project [A.words]', () => {
  const texts = countedTexts(files.flatMap((file) => file.texts));

  for (const group of Object.keys(groups) as Group[]) {
    it(`have a subject and a verb, or a noun, in ${group}`, () => {
      const rows = rowsOf(texts.filter(groups[group]));
      const tooMany = rows.filter(({ perThousand }) => perThousand > mostPerThousand);
      const found = tooMany.map(({ habit, perThousand, places }) => {
        const list = places.map(({ path, line, text }) => `  ${path}:${line}: ${text}`);
        return [`${habit}: ${perThousand.toFixed(1)} in 1,000 ${group}`, ...list].join('\n');
      });
      expect(found.length, found.join('\n')).to.equal(0);
    });
  }

  it('are counted by comments and titles, and in documents by sentences and cells', () => {
    const counted = (text: string): string[] =>
      sentencesOf({ path: 'x.md', line: 1, kind: 'document', text }).map(({ text: sentence }) => sentence);
    expect(counted('- It is one. What is two: Of three?')).to.deep.equal([
      'It is one.',
      '… What is two:',
      '… Of three?',
    ]);
    expect(counted('| None | a path |')).to.deep.equal(['None', 'a path']);
  });

  it('are found by the habits that they must not have', () => {
    const found = (text: string): string[] =>
      rowsOf([{ path: 'x.ts', line: 1, kind: 'comment', text }])
        .filter(({ places }) => places.length > 0)
        .map(({ habit }) => habit);
    expect(found('Whether it is.')).to.deep.equal(['opens with What, Those, That, It or Whether']);
    expect(found('Keeps what was there, and that of others, if there is none meanwhile.')).to.have.length(4);
    expect(found('Of its UTF-8 form.')).to.have.length(1);
    expect(found('The same list.')).to.have.length(1);
    expect(found('Returns the list of paths, sorted.')).to.deep.equal([]);
  });
});

describe('A text of the project', () => {
  const read = (text: string, path = 'src/x.ts'): string[] =>
    textsOfProgram(text, path).map(({ line, text: found }) => `${line} ${found.trim()}`);

  it('is a comment, with consecutive line comments as one, and not a literal that looks like one', () => {
    expect(read("f('// no', `/* no ${a /* yes */} // no`, /\\/* no/); // one\n// more\n\n/** two */")).to.deep.equal([
      '1 yes',
      '1 one  more',
      '4 two',
      '1 // no',
      '1 /* no',
      '1 // no',
    ]);
  });

  it('is a literal with a space, and in a test only a title', () => {
    const text = "it('does it', () => {});\nit(`does ${x} too`, f);\nthrow new Error('not found');";
    expect(read(text)).to.deep.equal(['1 does it', '3 not found']);
    expect(read(text, 'test/x.test.ts')).to.deep.equal(['1 does it']);
    const helpers = "overBoth('is in both', () => {});\nbrowserTests('The page', () => {});\nhelper('no title', f);";
    expect(read(helpers, 'test/x.test.ts')).to.deep.equal(['1 is in both', '2 The page']);
  });

  it('is the text of an element', () => {
    expect(read('const x = <p>it is {/* said */} so</p>;', 'src/x.tsx')).to.deep.equal(['1 said', '1 it is']);
  });

  it('is a paragraph, an item or a row of a document, without its code', () => {
    const text = 'One\ntwo.\n\n- three\n  four\n- five\n\n```sh\nno\n```\n\n| six | seven |\n';
    expect(textsOfDocument(text).map(({ line, text: found }) => `${line} ${found.trim()}`)).to.deep.equal([
      '1 One\ntwo.',
      '4 - three\n  four',
      '6 - five',
      '12 | six | seven |',
    ]);
  });
});

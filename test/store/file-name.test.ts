import { expect } from 'chai';
import { foldName, idInFileName, isSafeSegment, slugOf, titleName } from '../../src/store/record/file-name.ts';
import { nastyText, nastyTexts, seed } from '../support/nasty-texts.ts';
import { Random } from '../support/random.ts';
import { rarely } from '../support/rarely.ts';

function* titles(): Generator<string> {
  yield* nastyTexts;
  const random = new Random(seed);
  for (let i = 0; i < 3000; i++)
    yield nastyText(random) + random.pick(['', '.', ' ', '/', ' con', '.md', 'CON', 'x'.repeat(150), '🙂'.repeat(60)]);
}

describe('File names of titles [A.format.file-name]', () => {
  it('keep characters that every system accepts and replace all others', () => {
    const cases: [string, string][] = [
      ['Release plan', 'Release plan'],
      ['a/b\\c:d*e?f"g<h>i|j', 'a-b-c-d-e-f-g-h-i-j'],
      ['  .hidden. ', 'hidden'],
      ['two\n lines\tand more', 'two lines and more'],
      ['e\u0301t\u00e9', '\u00e9t\u00e9'],
      ['CON', 'CON_'],
      ['aux.h', 'aux_.h'],
      ['console', 'console'],
      ['lpt1 .txt', 'lpt1_ .txt'],
      ['', 'Untitled'],
      ['...', 'Untitled'],
      ['../../etc/passwd', '-..-etc-passwd'],
      ['evil\u202egpj.exe', 'evilgpj.exe'],
      ['\u200ba\u200bb\ufeff', 'ab'],
      ['日本語のタイトル', '日本語のタイトル'],
      ['👨‍👩‍👧 family', '👨‍👩‍👧 family'],
    ];
    for (const [title, name] of cases) expect(titleName(title), title).to.equal(name);
  });

  it(`are safe, of whole characters and short enough for a tail and an extension, whatever the title (seed ${seed})`, () => {
    for (const title of titles()) {
      const name = titleName(title);
      expect(isSafeSegment(name), JSON.stringify([title, name])).to.equal(true);
      expect(Buffer.byteLength(name)).to.be.at.most(91);
      expect(name.isWellFormed()).to.equal(true);
      expect(titleName(name), JSON.stringify(title)).to.equal(name);
    }
  });

  it('are cut between code points', () => {
    expect(titleName('🙂'.repeat(60))).to.equal('🙂'.repeat(22));
    expect(titleName(`${'a'.repeat(89)}é`)).to.equal('a'.repeat(89));
    expect(titleName('a'.repeat(100))).to.equal('a'.repeat(90));
    expect(titleName(`${'a'.repeat(89)}. b`)).to.equal('a'.repeat(89));
  });
});

describe('Slugs', () => {
  it('are the words of a title in lower case', () => {
    const cases: [string, string][] = [
      ['Fix the login!', 'fix-the-login'],
      ['  C++ & Rust -- FFI ', 'c-rust-ffi'],
      ['Ünïcödé Straße', 'ünïcödé-straße'],
      ['e\u0301te\u0301', 'été'],
      ['日本語 テスト', '日本語-テスト'],
      ['!!!', ''],
      ['NUL', 'nul_'],
      [
        'a very long title that goes on and on until nobody wants to read any more of it',
        'a-very-long-title-that-goes-on-and-on-until-nobody-wants-to',
      ],
    ];
    for (const [title, slug] of cases) expect(slugOf(title), title).to.equal(slug);
  });

  it('are cut between words, unless that leaves less than half', () => {
    const [a, b] = ['a'.repeat(31), 'b'.repeat(28)];
    expect(slugOf('one two three')).to.equal('one-two-three');
    expect(slugOf(`${a} ${b}`)).to.equal(`${a}-${b}`);
    expect(slugOf(`${a} ${b} c`)).to.equal(`${a}-${b}`);
    expect(slugOf(`${a} ${b}b`)).to.equal(a);
    expect(slugOf(`${'a'.repeat(30)} ${b}bb`)).to.equal(`${'a'.repeat(30)}-${'b'.repeat(29)}`);
    expect(slugOf(`aaa ${'b'.repeat(90)}`)).to.equal(`aaa-${'b'.repeat(56)}`);
  });

  it(`are safe names of at most 60 bytes (seed ${seed})`, () => {
    for (const title of titles()) {
      const slug = slugOf(title);
      if (slug !== '') expect(isSafeSegment(slug), JSON.stringify([title, slug])).to.equal(true);
      expect(slug).not.to.match(/[\s./\\]|^-|-$/);
      expect(Buffer.byteLength(slug)).to.be.at.most(61);
    }
  });
});

describe('Folded names [A.format.collision]', () => {
  it('are equal for names that a file system may treat as one', () => {
    const alike = [
      ['API', 'api', 'Api'],
      ['STRASSE', 'straße', 'Strasse'],
      ['\u00e9', 'e\u0301', 'É'],
      ['ΟΔΟΣ', 'οδος', 'οδοσ'],
      ['K', '\u212a', 'k'],
      ['ﬀ', 'FF'],
    ];
    for (const names of alike) expect(new Set(names.map(foldName)).size, names.join()).to.equal(1);
  });

  it('differ for names that look different', () => {
    const unlike = ['x2', 'x²', 'a b', 'a-b', 'a_b', 'é', 'e', 'Ａ'];
    expect(new Set(unlike.map(foldName)).size).to.equal(unlike.length);
  });

  rarely('fold to themselves, for every character of the basic plane', () => {
    for (let code = 0; code < 0x10000; code++) {
      const character = String.fromCharCode(code);
      const folded = foldName(`a${character}b`);
      expect(foldName(folded), code.toString(16)).to.equal(folded);
      expect(foldName(`a${character.toUpperCase()}b`), code.toString(16)).to.equal(folded);
    }
  });
});

describe('Safe segments [A.trust.root]', () => {
  it('are names, not paths', () => {
    for (const name of ['a', 'a b', 'a.b', '日本', '-', 'a..b', 'x'.repeat(255)])
      expect(isSafeSegment(name), name).to.equal(true);
    const unsafe = [
      '',
      '.',
      '..',
      '.git',
      'a/b',
      'a\\b',
      'C:',
      'a\0',
      'a\n',
      'nul',
      'COM1.txt',
      'a.',
      'a ',
      ' a',
      '\ud800',
      'x'.repeat(256),
      'ä'.repeat(128),
    ];
    for (const name of unsafe) expect(isSafeSegment(name), JSON.stringify(name)).to.equal(false);
  });
});

describe('Ids in file names', () => {
  it('are found at the positions that the service uses', () => {
    expect(idInFileName('fix-the-login.tsk_abcdef0123456789.md')).to.equal('tsk_abcdef0123456789');
    expect(idInFileName('tsk_abcdef0123456789.json')).to.equal('tsk_abcdef0123456789');
    expect(idInFileName('a.tsk_abcdef0123456789.23456789.md')).to.equal('tsk_abcdef0123456789');
    for (const name of [
      'README.md',
      'notes.v2.md',
      'tsk_abc.md',
      'tsk_abcdef0123456789',
      'x.TSK_abcdef0123456789.md',
      'x.tsk_ilou0f0123456789.md',
      'x.1tsk_abcdef0123456789.md',
      'x.tsk_abcdef01234567890.md',
    ]) {
      expect(idInFileName(name), name).to.equal(undefined);
    }
  });
});

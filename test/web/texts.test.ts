import { expect } from 'chai';
import { commitUrl } from '../../src/web/ui/proofs/commit-url.ts';
import { plainText } from '../../src/web/ui/plain-text.ts';

const commit = '4f2c9d1';

describe('The address of a commit', () => {
  it('leads to GitHub, GitLab, Bitbucket, Gitea and Forgejo, for every form of a repository [S.web.commits]', () => {
    for (const [repository, url] of [
      ['https://github.com/o/r', 'https://github.com/o/r/commit/'],
      ['https://github.com/o/r.git/', 'https://github.com/o/r/commit/'],
      ['git@github.com:o/r.git', 'https://github.com/o/r/commit/'],
      ['github.com:o/r', 'https://github.com/o/r/commit/'],
      ['ssh://git@github.acme.example:2222/o/r.git', 'https://github.acme.example/o/r/commit/'],
      ['git://github.com/o/r.git', 'https://github.com/o/r/commit/'],
      ['https://gitlab.com/group/sub/r.git', 'https://gitlab.com/group/sub/r/-/commit/'],
      ['http://gitlab.local:8080/o/r', 'http://gitlab.local:8080/o/r/-/commit/'],
      ['git@bitbucket.org:o/r.git', 'https://bitbucket.org/o/r/commits/'],
      ['https://codeberg.org/o/r', 'https://codeberg.org/o/r/commit/'],
      ['https://gitea.acme.example/o/r', 'https://gitea.acme.example/o/r/commit/'],
    ] as const)
      expect(commitUrl(repository, commit), repository).to.equal(`${url}${commit}`);
  });

  it('does not exist for unknown hosts, other schemes and texts that are no commit [S.web.commits]', () => {
    for (const repository of [
      null,
      '',
      'https://example.com/o/r',
      'https://notgithub.com/o/r',
      'https://bitbucket.org.evil.example/o/r',
      'javascript:alert(1)//github.com/o/r',
      'javascript://github.com/o/r%0aalert(1)',
      'data:text/html,github.com/o/r',
      'file:///github.com/o/r',
      '/srv/github.com/o/r',
      'https://github.com/o',
      'git@github.com:../../o',
      'git@github.com:o/r?x=#y',
    ])
      expect(commitUrl(repository, commit), String(repository)).to.equal(undefined);
    for (const text of ['', 'abc', 'javascript:alert(1)', `${commit}/../..`, '4F2C9D1'])
      expect(commitUrl('https://github.com/o/r', text), text).to.equal(undefined);
  });
});

describe('A text without markup', () => {
  it('keeps the words of Markdown [S.web.plain-text]', () => {
    for (const [markdown, text] of [
      ['**Q3**: `npm test` is _green_', 'Q3: npm test is green'],
      ['# Why\n\n- [ ] one\n- [x] two\n1. three', 'Why one two three'],
      ['> See [the page](https://example.com) and ![a picture](x.png)', 'See the page and a picture'],
      ['snake_case_name, 2 * 3 * 4, ~~old~~ new', 'snake_case_name, 2 * 3 * 4, old new'],
      ['```ts\nconst a = 1;\n```', 'const a = 1;'],
    ] as const)
      expect(plainText(markdown), markdown).to.equal(text);
    expect(plainText('word '.repeat(1000), 20)).to.have.length.at.most(20);
  });
});

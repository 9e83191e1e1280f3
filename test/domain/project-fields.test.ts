import { expect } from 'chai';
import { projectViolations } from '../../src/domain/records/project-fields.ts';

const messageOf = (fields: Parameters<typeof projectViolations>[0]): string | undefined => {
  const violations = projectViolations(fields);
  expect(violations.length).to.be.below(2);
  return violations[0]?.message;
};

describe('repo_url of a project [D3.repo_url]', () => {
  it('has http, https, ssh, git or scp format', () => {
    for (const url of [
      ...['http://a/b', 'https://git.example.org/a/b.git', 'HTTPS://a/b', 'https://a:8443/b', 'git://a/b', 'ssh://a/b'],
      ...['ssh://git@a/b', 'git@github.com:a/b.git', 'github.com:a/b', 'git@host:a://b', 'host:path', null, undefined],
    ])
      expect(messageOf({ repo_url: url }), String(url)).to.equal(undefined);
    for (const url of [
      ...['', 'file:///etc/passwd', 'javascript:// alert(1)', 'ftp://a/b', 'ext::sh -c x', 'a b@c:d', 'git@host:a b'],
      ...[
        'https://a/b c',
        'https://a/\u0000',
        'https://a/\nb',
        'https://a/\u007f',
        'https://',
        'http://[',
        '/etc/passwd',
      ],
      ...[
        'x git@host:path',
        'git@host:\\share',
        'git@host:a\\b',
        'ssh:///a',
        'git:///a',
        '@host:path',
        'git@:path',
        'host:',
        'data+x://a',
        'file://host/share',
      ],
    ])
      expect(messageOf({ repo_url: url }), url).to.include('must be of http, https, ssh, git or scp form');
  });

  it('contains no credentials, except the user that ssh needs', () => {
    for (const url of [
      ...['https://token@a/b', 'https://u:p@a/b', 'https://:p@a/b', 'http://u@a', 'git://u@a/b', 'ssh://u:p@a/b'],
    ])
      expect(messageOf({ repo_url: url }), url).to.include('must not contain credentials');
  });
});

describe('The format of folder_path [D3.folder_path]', () => {
  it('is relative, with / between its names', () => {
    for (const path of ['.', 'a', 'a/b', 'a.b/..c', 'ä/日本', '...', ' a ', 'C', null, undefined])
      expect(messageOf({ folder_path: path }), String(path)).to.equal(undefined);
    for (const path of [
      ...['', '/', '/a', 'a/', 'a//b', 'a/ /b', '..', '../a', 'a/..', 'a/../b', './a', 'a/.', 'a/./b'],
      ...['a\\b', 'C:', 'c:/a', 'C:\\a', 'a\nb', 'a\u0000', 'a\u001f', 'a\u007fb'],
    ])
      expect(messageOf({ folder_path: path }), JSON.stringify(path)).to.include('folder_path must be relative');
  });

  it('is reported together with an invalid repo_url', () => {
    expect(projectViolations({ repo_url: 'x', folder_path: '..' }).map(({ field }) => field)).to.deep.equal([
      'repo_url',
      'folder_path',
    ]);
  });
});

import { acceptedCredentials } from './accepted-credentials.ts';
import { acceptedTexts } from './accepted-texts.ts';
import { acceptedOfTransports } from './accepted-transports.ts';
import type { Accepted } from './survivors.ts';

/**
 * The survivors that are accepted. A survivor that is not listed here fails `npm run test:long`, and so does an entry whose mutant is
 * no longer there.
 */
export const accepted: readonly Accepted[] = [
  ...acceptedCredentials,
  ...acceptedTexts,
  ...acceptedOfTransports,
  {
    file: 'src/http/hosted.ts',
    mutant: 'addressOf: this.#proxies === 0 || forwarded === undefined → this.#proxies === 0',
    why: 'Without the header, "undefined" is no address, and the socket\'s is taken all the same.',
  },
  {
    file: 'src/http/loopback.ts',
    mutant:
      'check: !this.#hosts.has(host) && !this.#hosts.has(host.toLowerCase()) → !this.#hosts.has(host.toLowerCase())',
    why: 'The first look-up saves the second for the usual spelling; the names are in lower case.',
  },
  {
    file: 'src/store/files/disk/real-directories.ts',
    mutant: '#statOf: directory.length > this.#root.length → directory.length >= this.#root.length',
    why: "A path as long as the root's that is not the root is asked for one parent more, which is shorter.",
  },
  {
    file: 'src/store/files/disk/refuse-links.ts',
    mutant: "look: kind === 'directory' && path !== trash && depth > 0 → path !== trash && depth > 0",
    why: 'A file has no entries to look at.',
  },
  {
    file: 'src/remote/remote-client.ts',
    mutant: '#follow: await response.body?.cancel(); → (removed)',
    why: 'Frees the connection earlier than the garbage collector does; the answer is the same.',
  },
  {
    file: 'src/remote/remote-client.ts',
    mutant: '#json: await response.body?.cancel(); → (removed)',
    why: 'Frees the connection earlier than the garbage collector does; the answer is the same.',
  },
  {
    file: 'src/remote/remote-submissions.ts',
    mutant:
      "unlessTooLarge: thrown instanceof PlannerError && thrown.code === 'payload_too_large' → thrown.code === 'payload_too_large'",
    why: 'Nothing else that is thrown has this code.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant:
      "membersOf: typeof value === 'object' && value !== null && !Array.isArray(value) → value !== null && !Array.isArray(value)",
    why: 'What is no object has no such members: the next check refuses it by the same error.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant:
      "membersOf: typeof value === 'object' && value !== null && !Array.isArray(value) → typeof value === 'object' && !Array.isArray(value)",
    why: 'An absent file and null are read as {} before.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant:
      "membersOf: typeof value === 'object' && value !== null && !Array.isArray(value) → typeof value === 'object' && value !== null",
    why: 'What is no object has no such members: the next check refuses it by the same error.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant: 'membersOf: isObject → true',
    why: 'What is no object has no such members: the next check refuses it by the same error.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant: "serviceUrl: typeof text === 'string' → true",
    why: 'URL.parse answers null for what is no text of an address.',
  },
  {
    file: 'src/remote/remote.ts',
    mutant: 'serviceUrl: /^https?:$/ → /^https?:/',
    why: 'The protocol of a URL ends with its colon.',
  },
  {
    file: 'src/store/files/disk/local-files.ts',
    mutant: "open: folder === '.' → false",
    why: 'A path may hold a part that is a dot: it names the same directory.',
  },
  {
    file: 'src/store/files/disk/local-files.ts',
    mutant: "open: isAbsolute(inside) || parts.includes('..') → parts.includes('..')",
    why: 'Only on Windows is a path on another drive absolute when it is made relative.',
  },
  {
    file: 'src/store/files/disk/local-files.ts',
    mutant:
      "#pieces: opened.kind !== 'file' || opened.ino !== seen.ino || opened.dev !== seen.dev → opened.ino !== seen.ino || opened.dev !== seen.dev",
    why: 'The same inode that the look found to be a file is one.',
  },
  {
    file: 'src/store/files/disk/local-files.ts',
    mutant:
      "#pieces: opened.kind !== 'file' || opened.ino !== seen.ino || opened.dev !== seen.dev → opened.kind !== 'file' || opened.ino !== seen.ino",
    why: 'Two file systems with one inode number each would have to be mounted in the test.',
  },
  {
    file: 'src/store/record/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes → text.length * 3 < bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/record/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → false',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/record/file-name.ts',
    mutant:
      'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → Buffer.byteLength(text) <= bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/record/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → text.length * 3 <= bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/record/file-name.ts',
    mutant: 'cutToBytes: Buffer.byteLength(text) <= bytes → Buffer.byteLength(text) < bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/operations/access/attempt-limiter.ts',
    mutant: 'keyOf: address === undefined → false',
    why: 'What has no address is counted together under either key.',
  },
  {
    file: 'src/operations/access/minute-counter.ts',
    mutant: 'take: refused instanceof Error → false',
    why: 'A counter in memory refuses and does not fail; the check is for one that can.',
  },
  {
    file: 'src/operations/pipeline/preconditions.ts',
    mutant: 'namesTag: ifNoneMatch === etag → false',
    why: 'Saves the splitting of the usual header: the last line comes to the same.',
  },
  {
    file: 'src/operations/pipeline/preconditions.ts',
    mutant: 'ownOf: dot === -1 → false',
    why: '-1 is both the place of a dot that is not there and the end without the quote.',
  },
  {
    file: 'src/operations/pipeline/find-project.ts',
    mutant: 'locatorOf: locate === undefined || !Array.isArray(locate) → !Array.isArray(locate)',
    why: 'undefined is no list either.',
  },
  {
    file: 'src/operations/pipeline/find-project.ts',
    mutant:
      "findProject: typeof id === 'string' && locate(id).some((one) => sees(caller, one)) → locate(id).some((one) => sees(caller, one))",
    why: 'No record is found by what is no text, and the next line asks for a text again.',
  },
  {
    file: 'src/operations/pipeline/find-project.ts',
    mutant: "findProject: by !== undefined && typeof id === 'string' && isId → typeof id === 'string' && isId",
    why: 'Without a locator there is no id.',
  },
  {
    file: 'src/operations/pipeline/find-project.ts',
    mutant: 'sees: boundTo === undefined || boundTo === project → boundTo === undefined',
    why: "A bound caller's own project is also what is meant where no id is found.",
  },
  { file: 'src/operations/pipeline/seal.ts', mutant: "close: 'utf8' → ''", why: 'Texts are UTF-8 by default.' },
  {
    file: 'src/operations/access/guest-limiter.ts',
    mutant: 'take: address === undefined → false',
    why: 'What has no address is counted together under either key.',
  },
  {
    file: 'src/operations/access/guest-limiter.ts',
    mutant: "subscriber: tail === undefined || tail === '' → tail === undefined",
    why: 'An empty group too many comes behind the first four.',
  },
  {
    file: 'src/operations/access/guest-limiter.ts',
    mutant: 'subscriber: tail === undefined → false',
    why: 'An address without :: has eight groups, and so no zeros to fill in.',
  },
  {
    file: 'src/domain/access/keys.ts',
    mutant: 'secretPattern: /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/ → /pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/domain/access/keys.ts',
    mutant: 'secretPattern: /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/ → /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}/',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/domain/access/keys.ts',
    mutant: 'keyWith: secretPattern.test(secret) → true',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/cli/git.ts',
    mutant: "hardenedEnvironment: 'none' → ''",
    why: 'An empty list of protocols allows none either; on Windows an empty variable would be none at all.',
  },
  {
    file: 'src/cli/git.ts',
    mutant: "hardenedEnvironment: '1' → '' (2)",
    why: 'The test would have to mount a file system inside a repository.',
  },
  {
    file: 'src/cli/git.ts',
    mutant: "withoutFilters: list without 'clean'",
    why: 'Git runs no clean filter where a process is set, even an empty one; that it does not is documented nowhere.',
  },
  {
    file: 'src/cli/local-signature.ts',
    mutant: '#read: Array.isArray(found?.signatures) → true',
    why: 'Nothing but a list that JSON can hold has a method filter: the call throws, and the catch comes to the same.',
  },
  {
    file: 'src/store/files/opening/lock-holder.ts',
    mutant: "textOf: process.platform !== 'linux' → false",
    why: 'Elsewhere there is no such file, which comes to the same.',
  },
  {
    file: 'src/store/files/opening/root-check.ts',
    mutant:
      "checkToken: process.platform !== 'win32' && (stat.mode & othersBits) !== 0 → (stat.mode & othersBits) !== 0",
    why: "Only Windows makes up a file's mode.",
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: "closed: throw new Unreadable(0, 'Only YAML is read as front matter.'); → (removed)",
    why: 'The second measure: findFences refuses every other language before gray-matter sees the text.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: 'readFrontMatter: canonical !== undefined → false',
    why: 'The same map, read faster, which another test holds it to.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: "readYaml: node.kind === 'scalar' && node.value === null → node.value === null",
    why: 'Only a scalar has a value: of a list it is undefined.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from → to + from',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from <= blankLinesMax → false',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from <= blankLinesMax → to - from < blankLinesMax',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/files/codec/front-matter.ts',
    mutant: 'readFrontMatter: !(error instanceof Unreadable) → false',
    why: 'Nothing else is thrown by any text; what is thrown else is a mistake in the program.',
  },
  {
    file: 'src/store/files/opening/lock.ts',
    mutant: 'release: this.#timer.cancel(); → (removed)',
    why: 'The timer keeps no process alive, and a beat does nothing once the lock was let go.',
  },
  {
    file: 'src/cli/resolve.ts',
    mutant: "moveWithFolder: list without '--'",
    why: "A folder's path begins with the directory of its collection, and so with no dash.",
  },
];

/** As `keyOf` (state.ts) has them. */
export const acceptedKeys: ReadonlySet<string> = new Set(accepted.map(({ file, mutant }) => `${file}: ${mutant}`));

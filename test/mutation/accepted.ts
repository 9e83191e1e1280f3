/** A mutant that no test notices, with the reason why none has to. */
export interface Accepted {
  readonly file: string;
  /** The mutant's id, as the run prints it. */
  readonly mutant: string;
  readonly why: string;
}

/**
 * The survivors that are accepted. A survivor that is not listed here fails `npm run test:long`, and so does an entry whose mutant is
 * no longer there.
 */
export const accepted: readonly Accepted[] = [
  {
    file: 'src/http/hosted.ts',
    mutant: 'addressOf: this.#proxies === 0 || forwarded === undefined → this.#proxies === 0',
    why: 'Without the header, "undefined" is no address, and the socket\'s is taken all the same.',
  },
  {
    file: 'src/http/loopback.ts',
    mutant:
      'admit: !this.#hosts.has(host) && !this.#hosts.has(host.toLowerCase()) → !this.#hosts.has(host.toLowerCase())',
    why: 'The first look-up saves the second for the usual spelling; the names are in lower case.',
  },
  {
    file: 'src/store/real-directories.ts',
    mutant: 'has: directory.length > this.#root.length → directory.length >= this.#root.length',
    why: "A path as long as the root's that is not the root is asked for one parent more, which is shorter.",
  },
  {
    file: 'src/store/refuse-links.ts',
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
      "fitting: thrown instanceof PlannerError && thrown.code === 'payload_too_large' → thrown.code === 'payload_too_large'",
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
    file: 'src/store/local-files.ts',
    mutant: "open: folder === '.' → false",
    why: 'A path may hold a part that is a dot: it names the same directory.',
  },
  {
    file: 'src/store/local-files.ts',
    mutant: "open: isAbsolute(inside) || parts.includes('..') → parts.includes('..')",
    why: 'Only on Windows is a path on another drive absolute when it is made relative.',
  },
  {
    file: 'src/store/local-files.ts',
    mutant:
      "#pieces: opened.kind !== 'file' || opened.ino !== seen.ino || opened.dev !== seen.dev → opened.ino !== seen.ino || opened.dev !== seen.dev",
    why: 'The same inode that the look found to be a file is one.',
  },
  {
    file: 'src/store/local-files.ts',
    mutant:
      "#pieces: opened.kind !== 'file' || opened.ino !== seen.ino || opened.dev !== seen.dev → opened.kind !== 'file' || opened.ino !== seen.ino",
    why: 'Two file systems with one inode number each would have to be mounted in the test.',
  },
  {
    file: 'src/store/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes → text.length * 3 < bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → false',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/file-name.ts',
    mutant:
      'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → Buffer.byteLength(text) <= bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/file-name.ts',
    mutant: 'cutToBytes: text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes → text.length * 3 <= bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/store/file-name.ts',
    mutant: 'cutToBytes: Buffer.byteLength(text) <= bytes → Buffer.byteLength(text) < bytes',
    why: 'Only saves the counting of bytes: the loop comes to the same text.',
  },
  {
    file: 'src/operations/attempt-limiter.ts',
    mutant: 'keyOf: address === undefined → false',
    why: 'What has no address is counted together under either key.',
  },
  {
    file: 'src/operations/minute-counter.ts',
    mutant: 'take: refused instanceof Error → false',
    why: 'A counter in memory refuses and does not fail; the check is for one that can.',
  },
  {
    file: 'src/operations/preconditions.ts',
    mutant: 'namesTag: ifNoneMatch === etag → false',
    why: 'Saves the splitting of the usual header: the last line comes to the same.',
  },
  {
    file: 'src/operations/preconditions.ts',
    mutant: 'ownOf: dot === -1 → false',
    why: '-1 is both the place of a dot that is not there and the end without the quote.',
  },
  {
    file: 'src/operations/find-project.ts',
    mutant: 'locatorOf: locate === undefined || !Array.isArray(locate) → !Array.isArray(locate)',
    why: 'undefined is no list either.',
  },
  {
    file: 'src/operations/find-project.ts',
    mutant:
      "findProject: typeof id === 'string' && locate(id).some((one) => sees(caller, one)) → locate(id).some((one) => sees(caller, one))",
    why: 'No record is found by what is no text, and the next line asks for a text again.',
  },
  {
    file: 'src/operations/find-project.ts',
    mutant: "findProject: by !== undefined && typeof id === 'string' && isId → typeof id === 'string' && isId",
    why: 'Without a locator there is no id.',
  },
  {
    file: 'src/operations/find-project.ts',
    mutant: 'sees: boundTo === undefined || boundTo === project → boundTo === undefined',
    why: "A bound caller's own project is also what is meant where no id is found.",
  },
  {
    file: 'src/operations/find-project.ts',
    mutant: 'projectHolding: meant !== undefined && holders.includes(meant) → holders.includes(meant)',
    why: 'No project is undefined.',
  },
  { file: 'src/operations/seal.ts', mutant: "close: 'utf8' → ''", why: 'Texts are UTF-8 by default.' },
  {
    file: 'src/operations/guest-limiter.ts',
    mutant: 'take: address === undefined → false',
    why: 'What has no address is counted together under either key.',
  },
  {
    file: 'src/operations/guest-limiter.ts',
    mutant: "subscriber: tail === undefined || tail === '' → tail === undefined",
    why: 'An empty group too many comes behind the first four.',
  },
  {
    file: 'src/operations/guest-limiter.ts',
    mutant: 'subscriber: tail === undefined → false',
    why: 'An address without :: has eight groups, and so no zeros to fill in.',
  },
  {
    file: 'src/domain/keys.ts',
    mutant: 'secretPattern: /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/ → /pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/domain/keys.ts',
    mutant: 'secretPattern: /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/ → /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}/',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/domain/keys.ts',
    mutant: 'keyWith: secretPattern.test(secret) → true',
    why: 'Spares a look-up: the digest of the whole secret decides, and no secret of another form has one.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'reachOf: !/^[*_~]/.test(src) → false',
    why: 'Only saves the search for delimiters in a text that does not begin with one: no emphasis is made of it.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'reachOf: /^[*_~]/ → /[*_~]/',
    why: 'Only saves the search for delimiters in a text that does not begin with one: no emphasis is made of it.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant:
      'markdownHtml: { // Marked is recursive: thousands of nested lists exceed the stack. if (thrown instanceof RangeError) return… → {}',
    why: 'Marked throws nothing but what the stack throws: the check keeps an error of our own visible.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'markdownHtml: thrown instanceof RangeError → true',
    why: 'Marked throws nothing but what the stack throws: the check keeps an error of our own visible.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'markdownHtml: throw thrown; → (removed)',
    why: 'Marked throws nothing but what the stack throws: the check keeps an error of our own visible.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'safeHtml: round < roundsMax → round <= roundsMax',
    why: 'No text is known that is not settled after three rounds; the bound is for one that never is.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'safeHtml: cleaned === safe → false',
    why: 'Only saves rounds: sanitising what is settled changes nothing.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'isTooDeep: thrown instanceof TooDeep → true',
    why: 'A parser of HTML refuses nothing: what its handler throws is all that is thrown.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'isTooDeep: throw thrown; → (removed)',
    why: 'A parser of HTML refuses nothing: what its handler throws is all that is thrown.',
  },
  {
    file: 'src/domain/comment-html.ts',
    mutant: 'textOf: at < safe.length → at <= safe.length',
    why: 'Hands the parser an empty piece at the end.',
  },
  {
    file: 'src/domain/reasonable-markdown.ts',
    mutant: 'isReasonable: brackets <= looseBracketsMax → brackets < looseBracketsMax',
    why: 'Only saves a pattern in a block with few brackets: no count of links is negative.',
  },
  {
    file: 'src/domain/reasonable-markdown.ts',
    mutant:
      'isReasonable: brackets <= looseBracketsMax || brackets - (block.match(bound) ?? []).length <= looseBracketsMax → brackets - (block.match(bound) ?? []).length <= looseBracketsMax',
    why: 'Only saves a pattern in a block with few brackets: no count of links is negative.',
  },
  {
    file: 'src/domain/markdown-urls.ts',
    mutant: 'attributesIn: next < pieces.length → next <= pieces.length',
    why: 'Each node of HTML has a piece that is not before it: the loop ends there.',
  },
  {
    file: 'src/domain/markdown-urls.ts',
    mutant: 'attributesIn: next < pieces.length && pieces[next]!.start < from → pieces[next]!.start < from',
    why: 'Each node of HTML has a piece that is not before it: the loop ends there.',
  },
  {
    file: 'src/domain/markdown-urls.ts',
    mutant: "attributesIn: 'html' → ''",
    why: 'Only nodes of HTML have pieces of it.',
  },
  {
    file: 'src/domain/markdown-urls.ts',
    mutant: "closingOf: last?.type !== 'html' → false",
    why: 'What begins as raw HTML does is a node of HTML: the text of no other one matches an opening.',
  },
  {
    file: 'src/domain/guarded-page.ts',
    mutant: 'isWholePage: end === -1 → false',
    why: 'The search then goes on at the second dash of the comment, where nothing begins as a page does.',
  },
  {
    file: 'src/domain/share-rewrite.ts',
    mutant: 'shareRewrite: file !== undefined && known.has(file) → known.has(file)',
    why: 'No id is undefined; the check is for the compiler.',
  },
  {
    file: 'src/operations/idempotency.ts',
    mutant: 'canonical: a < b → a <= b',
    why: 'No two members of an object have one name.',
  },
  {
    file: 'src/operations/schemes.ts',
    mutant: "system: 'system' → ''",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/schemes.ts',
    mutant: "system: 'system' → '' (2)",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/sign-in-desk.ts',
    mutant: "system: 'system' → ''",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/sign-in-desk.ts',
    mutant: "system: 'system' → '' (2)",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: "meta: 'system' → ''",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: "meta: 'system' → '' (2)",
    why: "Only the journal names who changed the service's own records; nothing reads it there.",
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: 'open: a.updated_at < b.updated_at → a.updated_at <= b.updated_at',
    why: 'Of two that were used in the same millisecond either may come first.',
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: 'open: dropped.length > 0 → true',
    why: 'Only saves a transaction that changes nothing.',
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: 'open: dropped.length > 0 → dropped.length >= 0',
    why: 'Only saves a transaction that changes nothing.',
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: '#drop: own?.size === 0 → false',
    why: 'Only frees the memory of an empty map.',
  },
  {
    file: 'src/operations/sessions.ts',
    mutant: '#evict: b.size > a.size → b.size >= a.size',
    why: 'Of two credentials with equally many sessions either may give way.',
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
    file: 'src/cli/git.ts',
    mutant: 'processOptions: true → false',
    why: 'Only Windows opens a window.',
  },
  {
    file: 'src/cli/local-signature.ts',
    mutant: '#read: Array.isArray(found?.signatures) → true',
    why: 'Nothing but a list that JSON can hold has a method filter: the call throws, and the catch comes to the same.',
  },
  {
    file: 'src/store/lock-holder.ts',
    mutant: "textOf: process.platform !== 'linux' → false",
    why: 'Elsewhere there is no such file, which comes to the same.',
  },
  {
    file: 'src/store/root-check.ts',
    mutant:
      "checkToken: process.platform !== 'win32' && (stat.mode & othersBits) !== 0 → (stat.mode & othersBits) !== 0",
    why: "Only Windows makes up a file's mode.",
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: "closed: throw new Unreadable(0, 'Only YAML is read as front matter.'); → (removed)",
    why: 'The second measure: findFences refuses every other language before gray-matter sees the text.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: 'readYaml: canonical !== undefined → false',
    why: 'The same map, read faster, which another test holds it to.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: "readYaml: node.kind === 'scalar' && node.value === null → node.value === null",
    why: 'Only a scalar has a value: of a list it is undefined.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from → to + from',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from <= blankLinesMax → false',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: 'fitsBlankLines: to - from <= blankLinesMax → to - from < blankLinesMax',
    why: 'Only saves the counting in a short block.',
  },
  {
    file: 'src/store/codec/front-matter.ts',
    mutant: 'readFrontMatter: !(error instanceof Unreadable) → false',
    why: 'Nothing else is thrown by any text; what is thrown else is a mistake in the program.',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'resolved: named.files.length + named.screens.length === 0 → false',
    why: 'Only saves a rendering that changes nothing.',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'screenIds: titles.size === 0 → false',
    why: 'Only saves a look at the titles: none is named.',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant:
      "imagesOf: file === undefined || !file.mime.startsWith('image/') || file.size > left → file === undefined || !file.mime.startsWith('image/')",
    why: 'Only spares reading what is not shown: what becomes of the addresses is counted again (artifact-urls.ts).',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'imagesOf: file.size > left → file.size >= left',
    why: 'Only spares reading what is not shown: what becomes of the addresses is counted again (artifact-urls.ts).',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'imagesOf: left -= content.length → left += content.length',
    why: 'Only spares reading what is not shown: what becomes of the addresses is counted again (artifact-urls.ts).',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'imagesOf: left -= content.length; → (removed)',
    why: 'Only spares reading what is not shown: what becomes of the addresses is counted again (artifact-urls.ts).',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant:
      'imagesOf: { // An unreadable image is reported by the route of its file. if (!(error instanceof PlannerError)) throw err… → {}',
    why: 'Only a defect of our own throws something else; the check keeps it visible.',
  },
  {
    file: 'src/domain/artifact-page.ts',
    mutant: 'imagesOf: !(error instanceof PlannerError) → false',
    why: 'Only a defect of our own throws something else; the check keeps it visible.',
  },
  {
    file: 'src/pages/app-page.ts',
    mutant: '#tagOf: tag === undefined → true',
    why: 'Only saves hashing the same bytes again.',
  },
  {
    file: 'src/operations/repeat.ts',
    mutant: 'constructor: parameter !== undefined → true',
    why: 'No parameter is called undefined: nothing asks for that entry.',
  },
  {
    file: 'src/domain/shares.ts',
    mutant:
      'sharesOf: `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` → `${a.created_at} ${a.id}` <= `${b.created_at} ${b.id}`',
    why: 'No two links have one id.',
  },
];

/** As `keyOf` (state.ts) has them. */
export const acceptedKeys: ReadonlySet<string> = new Set(accepted.map(({ file, mutant }) => `${file}: ${mutant}`));

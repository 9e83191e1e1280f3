import { survivors } from './survivors.ts';
import type { Accepted } from './survivors.ts';

/** Accepted survivors of the area `sanitising`. */
export const acceptedTexts: readonly Accepted[] = [
  ...survivors(
    'src/domain/text/comment-html.ts',
    'Only saves the search for delimiters in a text that does not begin with one: no emphasis is made of it.',
    ['reachOf: !/^[*_~]/.test(src) → false', 'reachOf: /^[*_~]/ → /[*_~]/'],
  ),
  ...survivors(
    'src/domain/text/comment-html.ts',
    'Marked throws nothing but what the stack throws: the check keeps an error of our own visible.',
    [
      'markdownHtml: { // Marked is recursive: thousands of nested lists exceed the stack. if (thrown instanceof RangeError) return… → {}',
      'markdownHtml: thrown instanceof RangeError → true',
      'markdownHtml: throw thrown; → (removed)',
    ],
  ),
  ...survivors(
    'src/domain/text/comment-html.ts',
    'No text is known that is not settled after three rounds; the bound is for one that never is.',
    ['safeHtml: round < roundsMax → round <= roundsMax'],
  ),
  ...survivors('src/domain/text/comment-html.ts', 'Only saves rounds: sanitising what is settled changes nothing.', [
    'safeHtml: cleaned === safe → false',
  ]),
  ...survivors(
    'src/domain/text/comment-html.ts',
    'A parser of HTML refuses nothing: what its handler throws is all that is thrown.',
    ['isTooDeep: thrown instanceof TooDeep → true', 'isTooDeep: throw thrown; → (removed)'],
  ),
  ...survivors('src/domain/text/comment-html.ts', 'Hands the parser an empty piece at the end.', [
    'textOf: at < safe.length → at <= safe.length',
  ]),
  ...survivors(
    'src/domain/text/reasonable-markdown.ts',
    'Only saves a pattern in a block with few brackets: no count of links is negative.',
    [
      'isReasonable: brackets <= looseBracketsMax → brackets < looseBracketsMax',
      'isReasonable: brackets <= looseBracketsMax || brackets - (block.match(bound) ?? []).length <= looseBracketsMax → brackets - (block.match(bound) ?? []).length <= looseBracketsMax',
    ],
  ),
  ...survivors(
    'src/domain/text/markdown-urls.ts',
    'Each node of HTML has a piece that is not before it: the loop ends there.',
    [
      'attributesIn: next < pieces.length → next <= pieces.length',
      'attributesIn: next < pieces.length && pieces[next]!.start < from → pieces[next]!.start < from',
    ],
  ),
  ...survivors(
    'src/domain/text/markdown-urls.ts',
    'What begins as raw HTML does is a node of HTML: the text of no other one matches an opening.',
    ["closingOf: last?.type !== 'html' → false"],
  ),
  ...survivors(
    'src/domain/text/guarded-page.ts',
    'The search then goes on at the second dash of the comment, where nothing begins as a page does.',
    ['isWholePage: end === -1 → false'],
  ),
  ...survivors('src/domain/text/share-rewrite.ts', 'No id is undefined; the check is for the compiler.', [
    'shareRewrite: file !== undefined && known.has(file) → known.has(file)',
  ]),
  ...survivors('src/domain/artifact-page.ts', 'Only saves a rendering that changes nothing.', [
    'resolved: named.files.length + named.screens.length === 0 → false',
  ]),
  ...survivors('src/domain/artifact-page.ts', 'Only saves a look at the titles: none is named.', [
    'screenIds: titles.size === 0 → false',
  ]),
  ...survivors(
    'src/domain/artifact-page.ts',
    'Only spares reading what is not shown: what becomes of the addresses is counted again (artifact-urls.ts).',
    [
      "imagesOf: file === undefined || !file.mime.startsWith('image/') || file.size > left → file === undefined || !file.mime.startsWith('image/')",
      'imagesOf: file.size > left → file.size >= left',
      'imagesOf: left -= content.length → left += content.length',
      'imagesOf: left -= content.length; → (removed)',
    ],
  ),
  ...survivors(
    'src/domain/artifact-page.ts',
    'Only a defect of our own throws something else; the check keeps it visible.',
    [
      'imagesOf: { // An unreadable image is reported by the route of its file. if (!(error instanceof PlannerError)) throw err… → {}',
      'imagesOf: !(error instanceof PlannerError) → false',
    ],
  ),
  ...survivors('src/pages/app-page.ts', 'Only saves hashing the same bytes again.', [
    '#tagOf: tag === undefined → true',
  ]),
  ...survivors(
    'src/rendering/render-thread.ts',
    'The timer of a thread that has ended closes nothing, and the next text clears it.',
    ['#end: clearTimeout(this.#idle); → (removed)'],
  ),
  ...survivors(
    'src/rendering/render-thread.ts',
    'A message takes its own listener off; without one the thread has ended.',
    ["#reply: 'message' → '' (2)"],
  ),
  ...survivors('src/rendering/render-thread.ts', 'One look later, or a text that takes the limit to the microsecond.', [
    'watchTime: ++checks * limits.renderCheckMs >= limits.renderWaitMs → ++checks * limits.renderCheckMs > limits.renderWaitMs',
    'watchTime: (used.user + used.system - first.user - first.system) / 1000 > limits.renderMs → (used.user + used.system - first.user - first.system) / 1000 >= limits.renderMs',
  ]),
  ...survivors(
    'src/rendering/render-thread.ts',
    "Of a thread that only computes the system's share of the time is too small to be distinguished from none.",
    [
      'watchTime: used.user + used.system → used.user - used.system',
      'watchTime: used.user + used.system - first.user - first.system → used.user + used.system - first.user + first.system',
    ],
  ),
  ...survivors(
    'src/rendering/render-thread.ts',
    'On a machine with nothing else to do the time that has passed is that of the processor.',
    ['cpuUsage: usage === undefined → true'],
  ),
  ...survivors('src/pages/guest-pages.ts', "What is neither a link's page nor a screen is the page of participants.", [
    "routes: 'participants' → ''",
  ]),
  ...survivors(
    'src/pages/guest-pages.ts',
    'A response is sent whole as the last thing: the check is for what would throw after that.',
    ['serve: response.headersSent → false', 'serve: response.destroy(); → (removed)'],
  ),
  ...survivors('src/pages/guest-pages.ts', 'Only over MCP the transport shows in the name of a caller.', [
    "#check: 'rest' → ''",
  ]),
  ...survivors('src/pages/guest-pages.ts', 'Only that it is there says that the form was taken.', [
    '#participants: true → false',
  ]),
  ...survivors('src/pages/guest-pages.ts', 'What else is thrown has no such code.', [
    '#showFormAgain: !(thrown instanceof PlannerError) || !correctable.has(thrown.code) → !correctable.has(thrown.code)',
  ]),
  ...survivors(
    'src/pages/guest-pages.ts',
    'Who comes with a link is named by the link: what else the caller is does not count (admit.ts).',
    ["#call: 'guest' → ''", "#call: 'guest' → '' (2)", "#call: 'guest' → '' (3)", "#call: 'rest' → ''"],
  ),
  ...survivors('src/pages/guest-pages.ts', 'A path has neither of the names that are looked for.', [
    'queryOf: mark === -1 → false',
  ]),
  ...survivors(
    'src/pages/guest-pages.ts',
    'Nothing on these pages fails by itself: a disk that fails would be needed.',
    ["errorTitles: 'Something went wrong' → ''"],
  ),
];

/** Longer files are no pointers: they have a few lines. */
const pointerCharactersMax = 2048;

/** Contents of files whose real content is elsewhere, and what to do. A file of NUL bytes is one that a power cut left, which the rescan handles. */
const placeholders: readonly (readonly [form: RegExp, reason: string])[] = [
  [
    /^version https:\/\/git-lfs\.github\.com\/spec\/[^\n]*\n(?:[a-z0-9.-]+ [^\n]*(?:\n|$))*$/,
    'The file is a pointer of Git LFS: fetch its content with git lfs pull, and exclude files of plans from LFS in .gitattributes.',
  ],
  [/^\/annex\/objects\/[^\n]*\n?$/, 'The file is a pointer of git-annex: fetch its content with git annex get.'],
  [/^\0GITCRYPT\0/, 'The file is encrypted by git-crypt: decrypt it with git-crypt unlock.'],
];

/** Why a text is not the content of its file; undefined if it is. */
export function placeholderReason(text: string): string | undefined {
  if (!text.startsWith('\0') && text.length > pointerCharactersMax) return undefined;
  return placeholders.find(([form]) => form.test(text))?.[1];
}

/** The first characters of a Markdown text without its markup, for cards that show two lines of it. */
export function plainText(markdown: string, charactersMax = 400): string {
  return (
    markdown
      .slice(0, charactersMax * 2)
      .replace(/^\s*(?:```|~~~).*$/gm, '')
      .replace(/^\s*(?:#{1,6}\s+|>\s?|(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?)/gm, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/(\*\*|__|~~)(?=\S)(.+?)\1/g, '$2')
      // An underscore within a word is a part of it.
      .replace(/(?<![\w*])([*_])(?=\S)(.+?)\1(?![\w*])/g, '$2')
      .replace(/`([^`]*)`/g, '$1')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, charactersMax)
  );
}

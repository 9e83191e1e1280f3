/** A tool or a route on the page. */
export interface Shown {
  readonly name: string;
  readonly text: string;
}

export interface InterfaceParts {
  /** The tools in the order in which they are listed. */
  readonly tools: readonly Shown[];
  readonly routes: readonly Shown[];
}

/** All tools and routes of Planner on one page of Markdown: for finding a name, without arguments. */
export function interfacePage({ tools, routes }: InterfaceParts): string {
  return `# The interface

Made from the catalogue by \`npm run generate\`. Do not edit: edit the operations.

Arguments and results are in \`tools.json\` and \`openapi.json\` beside this page; a running service has them at \`/mcp\` (\`tools/list\`), at
\`/api/v1/openapi.json\` and, as a page, at \`/api/v1/docs\`.

## Tools

${tools.length} tools, in the order in which they are listed.

${table('Tool', 'Purpose', tools)}

## Routes

Below \`/api/v1\`.

${table('Route', 'Effect', routes)}
`;
}

function table(first: string, second: string, rows: readonly Shown[]): string {
  const lines = rows.map(({ name, text }) => `| \`${name}\` | ${text.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`);
  return [`| ${first} | ${second} |`, '| --- | --- |', ...lines].join('\n');
}

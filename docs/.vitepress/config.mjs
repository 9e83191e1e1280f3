/** The site of the documents, which `npm run docs` builds into docs/.vitepress/dist. A link to a page that does not exist fails the build. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { anchorOf } from '../../src/reference/markdown.ts';

const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
const { description, repository } = JSON.parse(read('../../package.json'));
const forge = repository.url.replace(/^git\+|\.git$/g, '');

/** The lists of pages in docs/README.md, which `npm run generate` makes from the folders. */
const sidebar = read('../README.md')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    items: Array.from(section.matchAll(/^- \[(.+)\]\((.+)\.md\)$/gm), ([, text, link]) => ({ text, link: `/${link}` })),
  }));

/** Files of the repository that are no pages of the site are linked at its forge. */
function linkToForge(markdown) {
  const open = markdown.renderer.rules.link_open;
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const href = tokens[index].attrGet('href');
    const path = posix.join('docs', posix.dirname(env.relativePath), href);
    if (!/^(?:[a-z]+:|[/#])/.test(href) && !path.startsWith('docs/'))
      tokens[index].attrSet('href', `${forge}/blob/HEAD/${path}`);
    return open(tokens, index, options, env, self);
  };
}

/** @type {import('vitepress').UserConfig} */
export default {
  title: 'Planner',
  description,
  rewrites: { 'README.md': 'index.md' },
  markdown: { anchor: { slugify: anchorOf }, config: linkToForge },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: forge }],
  },
  vite: {
    plugins: [
      {
        name: 'contents',
        enforce: 'pre',
        // The site has an outline beside each page.
        transform: (text, id) =>
          id.endsWith('.md') ? text.replace(/<!-- generated: contents -->[^]*?<!-- end: contents -->/, '') : undefined,
      },
    ],
  },
};

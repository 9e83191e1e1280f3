import { Parser } from 'htmlparser2';

/**
 * The text of a page's `<title>` with decoded entities, possibly empty. The title of an embedded drawing does not
 * count.
 */
export function htmlTitle(html: string): string {
  let title = '';
  let state: 'before' | 'in' | 'behind' = 'before';
  let drawings = 0;
  const parser = new Parser({
    onopentagname: (name) => {
      if (name === 'svg') drawings++;
      else if (name === 'title' && drawings === 0 && state === 'before') state = 'in';
    },
    ontext: (text) => void (title += state === 'in' ? text : ''),
    onclosetag: (name) => {
      if (name === 'svg') drawings--;
      else if (name === 'title' && state === 'in') state = 'behind';
    },
  });
  parser.write(html);
  parser.end();
  return title;
}

import { limits } from '../../../base/limits.ts';
import { controlCharacterIn } from '../../../base/printable.ts';
import type { Collection } from '../../record/collection.ts';
import { nameOf } from '../../record/locations.ts';
import { shapeAt } from '../../record/shapes.ts';
import { htmlTitle } from './html-title.ts';

/**
 * The title of a file without a title: its name (HTML: its `<title>`, else its name). Undefined if it has one, or needs
 * none. It is derived as long as the file has none: the service does not write it.
 */
export function derivedTitle(
  { location, shape }: Collection,
  path: string,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): { readonly field: string; readonly value: string } | undefined {
  if (!('title' in location) || location.title === undefined || fields[location.title] !== undefined) return undefined;
  const field = location.title;
  if (shape.fields.find(({ name }) => name === field)?.always !== true) return undefined;
  const body = shape.body === undefined ? '' : fields[shape.body];
  const inPage = shapeAt(shape, path).format === 'html' && typeof body === 'string' ? pageTitle(body) : '';
  return { field, value: (inPage === '' ? titleOfName(path, id) : inPage).slice(0, limits.nameCharactersMax) };
}

/** A file's name as a title: without its extension, and without the id that the service adds to names. */
export function titleOfName(path: string, id?: string): string {
  const stem = nameOf(path)
    .replace(/\.[^.]+$/, '')
    .normalize('NFC');
  const tail = (id === undefined ? [] : [`.${id}`, `.${id.slice(-4)}`]).find(
    (one) => stem.length > one.length && stem.endsWith(one),
  );
  const title = (tail === undefined ? stem : stem.slice(0, -tail.length)).trim();
  return title === '' || controlCharacterIn(title) !== undefined ? (id ?? stem) : title;
}

/** A `<title>` after this many characters is not the title of the page. */
const titleCharactersMax = 64 * 1024;

function pageTitle(body: string): string {
  return htmlTitle(body.slice(0, titleCharactersMax)).replace(/\s+/g, ' ').trim();
}

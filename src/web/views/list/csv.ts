import { cellText, columnName } from './columns.ts';
import type { ListRow } from './columns.ts';
import type { ColumnId } from './list-state.ts';

/** A cell that a spreadsheet would read as a formula is prefixed with an apostrophe: labels are untrusted. */
const formula = /^[=+\-@\t\r]/;

/** A text as one cell, by RFC 4180. */
function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The rows and columns that are shown, in their order, as CSV with a header; the id is first, so that rows can be identified. */
export function csvOf(rows: readonly ListRow[], columns: readonly ColumnId[]): string {
  const lines = [
    ['id', ...columns.map((id) => columnName(id))],
    ...rows.map((row) => [row.task.id, ...columns.map((id) => cellText(id, row))]),
  ];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

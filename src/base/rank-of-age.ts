/**
 * The place in the order by hand of a task without a rank, as a rank: the digits of its created_at, and its id. So of tasks that were never
 * moved none needs a rank, and a task that is moved between two of them needs one alone. The service, the command line and the page order by it.
 */
export function rankOfAge({ created_at: at, id }: { readonly created_at: string; readonly id: string }): string {
  return `${timeIn(at)}${/^\w+$/.test(id) ? id : id.replaceAll(/\W/g, '')}`;
}

/** A list compares it for every task, and the time has nearly always this form: slices take a third of the time. */
function timeIn(at: string): string {
  if (at.length !== '2026-11-29T01:02:03.456Z'.length) return at.replaceAll(/\D/g, '');
  const [date, time] = [at.slice(0, 4) + at.slice(5, 7) + at.slice(8, 10), at.slice(11, 13) + at.slice(14, 16)];
  return date + time + at.slice(17, 19) + at.slice(20, 23);
}

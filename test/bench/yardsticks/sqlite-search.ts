/** Yardstick of searches: SQLite's full-text index over the same texts, answered with snippets. `node sqlite-search.ts <port> <file>` */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const [, , port, file] = process.argv;
const database = new DatabaseSync(file!, { readOnly: true });
const select = database.prepare(
  "SELECT id, label, snippet(task, 2, '', '', '…', 30) AS excerpt FROM task WHERE task MATCH ? ORDER BY rank LIMIT 10",
);

createServer((request, response) => {
  const query = new URL(request.url!, 'http://localhost').searchParams.get('q') ?? '';
  const match = query
    .match(/\w+/g)
    ?.map((word) => `"${word}"*`)
    .join(' ');
  const tasks = match === undefined ? [] : select.all(match);
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ tasks }));
}).listen(Number(port), '127.0.0.1');

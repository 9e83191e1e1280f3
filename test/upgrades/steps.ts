import type { Migration } from '../../src/store/files/disk/migration.ts';

/** Steps to fictitious formats: one changes files, the other reads its results, creates a file and removes one. */
export const steps: readonly Migration[] = [
  {
    to: 2,
    since: '9.2.0',
    what: 'Labels of tasks are written in capitals.',
    *changes(files) {
      for (const path of files.list('projects').filter((one) => /\/tasks\/[^/]+\.md$/.test(one))) {
        const text = Buffer.from(files.read(path)!).toString();
        yield {
          path,
          content: Buffer.from(text.replace(/^label: (.*)$/m, (line) => line.toUpperCase().replace('LABEL', 'label'))),
        };
      }
    },
  },
  {
    to: 3,
    since: '9.3.0',
    what: 'The labels stand in a list.',
    *changes(files) {
      const labels = files
        .list('projects')
        .flatMap((path) =>
          path.includes('/tasks/') ? [/^label: (.*)$/m.exec(Buffer.from(files.read(path)!).toString())![1]!] : [],
        );
      yield { path: 'labels/all.json', content: Buffer.from(JSON.stringify(labels)) };
      for (const path of files.list('projects')) if (path.endsWith('/canvas.json')) yield { path, content: null };
    },
  },
];

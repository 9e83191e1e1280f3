import type { LogPositions } from '../../commit/durability-tracker.ts';
import type { Log } from '../../record/log.ts';
import type { EntryBody } from '../../record/entry.ts';
import { charactersOf } from './entry-size.ts';

/** Counts the appended characters, for the allowances of agents. */
export class AppendedCharacters implements LogPositions {
  readonly position = 0;
  readonly failed = undefined;
  appended = 0;

  counting(log: Log<EntryBody>): Log<EntryBody> {
    return {
      traits: log.traits,
      append: (append) => {
        this.appended += charactersOf(append.body);
        return log.append(append);
      },
      appendTogether: (appends) => log.appendTogether(appends),
      catchUp: (known) => log.catchUp(known),
      close: () => log.close(),
    };
  }
}

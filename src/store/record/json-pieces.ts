/** A list with at least this many items is encoded item by item. */
const itemsMin = 64;
/** The approximate size of a piece. */
const pieceCharacters = 128 * 1024;

/**
 * The JSON of an object in pieces, equal to `JSON.stringify` when joined. Lists are encoded item by item, so that
 * encoding a large one can be interrupted between pieces and is not limited by the maximum length of a string.
 */
export function* jsonPieces(value: object): Generator<string, void, undefined> {
  let piece = '';
  for (const text of jsonParts(value)) {
    piece += text;
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function* jsonParts(value: object): Generator<string, void, undefined> {
  let separator = '{';
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    const isLong = Array.isArray(member) && member.length >= itemsMin;
    const text = isLong ? undefined : JSON.stringify(member);
    if (!isLong && text === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (isLong) yield* listParts(member as unknown[]);
    else yield text!;
  }
  yield separator === '{' ? '{}' : '}';
}

function* listParts(items: readonly unknown[]): Generator<string, void, undefined> {
  let separator = '[';
  for (const item of items) {
    yield `${separator}${JSON.stringify(item) ?? 'null'}`;
    separator = ',';
  }
  yield ']';
}

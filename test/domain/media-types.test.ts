import { expect } from 'chai';
import { mediaTypeOf } from '../../src/domain/text/media-types.ts';

describe('The media type of a file without one', () => {
  it('is that of its extension [D6.file]', () => {
    const types = new Map([
      ...['avif', 'bmp', 'gif', 'jpeg', 'png', 'webp'].map((ending) => [ending, `image/${ending}`] as const),
      ...[
        ['jpg', 'image/jpeg'] as const,
        ['svg', 'image/svg+xml'] as const,
        ['ico', 'image/vnd.microsoft.icon'] as const,
      ],
      ...['css', 'csv', 'html', 'yaml'].map((ending) => [ending, `text/${ending}`] as const),
      ...([
        ['htm', 'text/html'],
        ['js', 'text/javascript'],
        ['md', 'text/markdown'],
      ] as const),
      ...([
        ['txt', 'text/plain'],
        ['log', 'text/plain'],
      ] as const),
      ...['json', 'pdf', 'xml', 'zip'].map((ending) => [ending, `application/${ending}`] as const),
      ...([
        ['yml', 'text/yaml'],
        ['gz', 'application/gzip'],
        ['tar', 'application/x-tar'],
      ] as const),
      ...([
        ['mp3', 'audio/mpeg'],
        ['wav', 'audio/wav'],
        ['mp4', 'video/mp4'],
        ['webm', 'video/webm'],
      ] as const),
    ]);
    for (const [ending, type] of types) {
      expect(mediaTypeOf(`a.${ending}`), ending).to.equal(type);
      expect(mediaTypeOf(`a.b.${ending.toUpperCase()}`), ending).to.equal(type);
    }
  });

  it('is unknown for other extensions, none, and names of object members [D6.file, A.hostile.prototypes]', () => {
    for (const name of [
      'a',
      'png',
      'a.',
      'a.unlisted',
      'a.png.unlisted',
      'a.png.',
      'a.png/b',
      'a.constructor',
      'a.toString',
      'a.__proto__',
    ])
      expect(mediaTypeOf(name), name).to.equal('application/octet-stream');
  });
});

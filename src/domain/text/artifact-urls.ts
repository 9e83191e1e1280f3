import { renderAddress } from '../../base/addresses.ts';
import { limits } from '../../base/limits.ts';
import { fileIdOf, screenLinkOf } from './file-url.ts';
import { withHtmlUrls } from './html-urls.ts';

/** The replacements for the URLs of an artifact. */
export interface ArtifactUrls {
  readonly baseUrl: string;
  /** The ids of screens, by the names in links. */
  readonly screens: Readonly<Record<string, string>>;
  /** Images of the project as `data:` URLs, by the ids of their files. */
  readonly images: Readonly<Record<string, string>>;
}

/** HTML with links to screens resolved, and images of the project inlined up to the size limit; each use of an image counts. */
export function withArtifactUrls(html: string, { baseUrl, screens, images }: ArtifactUrls): string {
  let left: number = limits.renderedImagesBytesMax * (4 / 3);
  return withHtmlUrls(html, (url) => {
    const screen = screenLinkOf(url);
    if (screen !== undefined && Object.hasOwn(screens, screen.name))
      return renderAddress(screens[screen.name]!) + screen.fragment;
    const file = fileIdOf(url, baseUrl) ?? '';
    const image = Object.hasOwn(images, file) ? images[file]! : undefined;
    if (image === undefined || image.length > left) return url;
    left -= image.length;
    return image;
  });
}

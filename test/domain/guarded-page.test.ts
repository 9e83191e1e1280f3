import { expect } from 'chai';
import { guardedPage, isWholePage } from '../../src/domain/text/guarded-page.ts';

describe('The guard of an untrusted page', () => {
  it('precedes everything but the doctype [A.trust.html]', () => {
    const guard = guardedPage('');
    expect(guard).to.match(/^<script>[^]*RTC[^]*<\/script>$/);
    for (const doctype of ['<!doctype html>', '\n <!DOCTYPE html SYSTEM "a>'])
      expect(guardedPage(`${doctype}<p>x`)).to.equal(`${doctype}${guard}<p>x`);
    for (const html of ['<p>x<!doctype html>', '<!-- a --><!doctype html>', '<!doctype html'])
      expect(guardedPage(html)).to.equal(guard + html);
  });
});

describe('A whole page', () => {
  it('begins with a doctype or an html element, after blanks and comments', () => {
    for (const html of [
      '<!doctype html>',
      '<!DOCTYPE',
      ' \n<HTML lang=en>',
      '<!-- a --> <!----><html>',
      '<!-->--><html>',
    ])
      expect(isWholePage(html), html).to.equal(true);
    for (const html of [
      '',
      '<p>',
      'x<html>',
      '<!-- a <html>',
      '<!-- a -->x<html>',
      '<!-- <html> -->',
      '<!-->',
      '<!--->',
    ])
      expect(isWholePage(html), html).to.equal(false);
  });
});

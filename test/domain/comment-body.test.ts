import { expect } from 'chai';
import { commentBody, plainCommentBody } from '../../src/domain/text/comment-body.ts';
import { limits } from '../../src/base/limits.ts';

describe('The body of a comment', () => {
  it('is safe HTML, or is rejected with the reason [D7.comment-html, D1.blank-comment]', () => {
    expect(commentBody('*a*<script>b</script>')).to.deep.equal({ html: '<p><em>a</em></p>' });
    expect(plainCommentBody('*a* <b>')).to.deep.equal({ html: '<pre>*a* &lt;b&gt;</pre>' });
    for (const blank of [commentBody(' \n'), commentBody('<p></p>'), plainCommentBody('\u200b')])
      expect(blank).to.deep.equal({ refused: 'blank' });
    const nested = (depth: number): string => `${'<div>'.repeat(depth)}x`;
    expect(commentBody(nested(limits.htmlDepthMax + 1))).to.deep.equal({ refused: 'too_deep' });
    expect(commentBody(nested(limits.htmlDepthMax))).to.have.key('html');
  });

  it('has a maximum size in bytes [D7.comment-html]', () => {
    const tags = Buffer.byteLength('<pre></pre>');
    const most = 'é'.repeat((limits.commentHtmlBytesMax - tags - 1) / 2);
    expect(Buffer.byteLength((plainCommentBody(`${most}a`) as { html: string }).html)).to.equal(
      limits.commentHtmlBytesMax,
    );
    expect(plainCommentBody(`${most}ab`)).to.deep.equal({ refused: 'too_large' });
  });
});

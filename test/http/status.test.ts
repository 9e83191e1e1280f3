import { expect } from 'chai';
import { errorCodes } from '../../src/base/errors.ts';
import { statusOf } from '../../src/http/status.ts';

describe('The table of statuses', () => {
  it('has each error code with the status of the decisions [D2.codes]', () => {
    expect(statusOf).to.deep.equal({
      invalid_argument: 400,
      verification_required: 400,
      blocked_by_incomplete_tasks: 400,
      unauthorized: 401,
      forbidden: 403,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      gone: 410,
      cursor_expired: 410,
      precondition_failed: 412,
      payload_too_large: 413,
      unsupported_media_type: 415,
      rate_limited: 429,
      internal: 500,
      unavailable: 503,
    });
    expect(Object.keys(statusOf)).to.have.members([...errorCodes]);
  });
});

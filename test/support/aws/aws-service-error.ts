/** An error answer of an AWS service: `name` is the error code that SDK clients match. */
export class AwsServiceError extends Error {
  override readonly name: string;
  /** HTTP status, 400..599. */
  readonly statusCode: number;

  /** Further fields of the answer. */
  readonly fields: object;

  constructor(name: string, message: string, statusCode = 400, fields: object = {}) {
    super(message);
    this.name = name;
    this.statusCode = statusCode;
    this.fields = fields;
  }
}

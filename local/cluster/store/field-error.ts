/** What is wrong with one field of an object, in the words of Kubernetes' validation. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTooMany';
  field: string;
  /** All but the field's path. */
  message: string;
}

/** Says that a field has to be there. */
export const required = (field: string, detail?: string): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: detail === undefined ? 'Required value' : `Required value: ${detail}`,
});

/** Says that a field's value cannot be. */
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
});

/** Says that a field's value is none of those that there are. */
export const notSupported = (field: string, value: string, supported: readonly string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  message: `Unsupported value: "${value}": supported values: ${supported.map((word) => `"${word}"`).join(', ')}`,
});

/** Says that a value that has to be unique is there already. */
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${JSON.stringify(value)}`,
});

/** Says that a field may not be there, or may not change. */
export const forbidden = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

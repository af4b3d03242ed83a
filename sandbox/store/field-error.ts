/** A problem with one field of an object, in the words of Kubernetes' validation. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTooMany';
  field: string;
  /** The message, without the field's path. */
  message: string;
}

/** Reports that a required field is missing. */
export function required(field: string, detail?: string): FieldError {
  return {
    reason: 'FieldValueRequired',
    field,
    message: detail === undefined ? 'Required value' : `Required value: ${detail}`,
  };
}

/** Reports that a field's value is invalid. */
export function invalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${detail}` };
}

/** Reports that a field's value is not one of the supported values. */
export function notSupported(field: string, value: string, values: readonly string[]): FieldError {
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: "${value}": supported values: ${values.map((word) => `"${word}"`).join(', ')}`,
  };
}

/** Checks that a field's value is one of the supported values. */
export function supported(field: string, value: string, values: readonly string[]): FieldError[] {
  return values.includes(value) ? [] : [notSupported(field, value, values)];
}

/** Reports that a value that must be unique occurs twice. */
export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

/** Reports that a field must not be set, or must not change. */
export function forbidden(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

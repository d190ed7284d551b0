// Package mirror holds the public contract's generated Go code against what the other side sends. Both sides fill every
// field of a message by one rule, so that whoever receives one knows what must be in it.
package mirror

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const deepest = 4

// Fill sets every field: strings to the field's name, bytes to a JSON object with it, numbers to seven times the field's
// number, enums to their second value, lists and maps to one entry, and of a oneof the first field.
func Fill(message protoreflect.Message, depth int) {
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if oneof := field.ContainingOneof(); oneof != nil && oneof.Fields().Get(0) != field {
			continue
		}
		switch {
		case field.IsMap():
			entries := message.NewField(field).Map()
			if value, ok := valueOf(field.MapValue(), field, entries.NewValue, depth); ok {
				entries.Set(protoreflect.ValueOfString(string(field.Name())).MapKey(), value)
				message.Set(field, protoreflect.ValueOfMap(entries))
			}
		case field.IsList():
			list := message.NewField(field).List()
			if value, ok := valueOf(field, field, list.NewElement, depth); ok {
				list.Append(value)
				message.Set(field, protoreflect.ValueOfList(list))
			}
		default:
			if value, ok := valueOf(field, field, func() protoreflect.Value { return message.NewField(field) }, depth); ok {
				message.Set(field, value)
			}
		}
	}
}

func valueOf(kind, field protoreflect.FieldDescriptor, fresh func() protoreflect.Value, depth int) (protoreflect.Value, bool) {
	name, number := string(field.Name()), int64(field.Number())
	switch kind.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(name), true
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(fmt.Appendf(nil, `{"%s":%d}`, name, number)), true
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true), true
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(number) + 0.5), true
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(number) + 0.5), true
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(number * 7)), true
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(number * 7)), true
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(number * 7), true
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(number * 7)), true
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(kind.Enum().Values().Get(1).Number()), true
	case protoreflect.MessageKind:
		if depth == deepest || !isOurs(kind.Message().FullName()) {
			return protoreflect.Value{}, false
		}
		value := fresh()
		Fill(value.Message(), depth+1)
		return value, true
	}
	return protoreflect.Value{}, false
}

// The free-form types of protobuf itself have no fields worth naming.
func isOurs(name protoreflect.FullName) bool {
	return strings.HasPrefix(string(name), "workflow.") || name == "google.protobuf.Timestamp"
}

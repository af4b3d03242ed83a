{{/* The profiles that launch into the cluster of the release, as JSON: {"profiles": [...]}, each with its `isExposed`. */}}
{{- define "davit.profiles" -}}
{{- $given := dict -}}
{{- range .Values.secrets }}{{ $_ := set $given .name true }}{{ end -}}
{{- $here := list -}}
{{- range .Values.config.clusters -}}
{{- if and .kubeconfigSecret (not (hasKey $given .kubeconfigSecret)) }}{{ $here = append $here .name }}{{ end -}}
{{- end -}}
{{- $profiles := list -}}
{{- range $index, $profile := .Values.config.profiles -}}
{{- $isHere := false -}}
{{- range $profile.clusters }}{{ if has . $here }}{{ $isHere = true }}{{ end }}{{ end -}}
{{- if $isHere -}}
{{- if eq $profile.namespace $.Release.Namespace -}}
{{- fail (printf "config.profiles[%d].namespace: expected another than %s, the release's own: who may create Pods there can read davit's secrets" $index $.Release.Namespace) -}}
{{- end -}}
{{- $expose := $profile.expose | default (ternary "none" "nodePort" (hasKey $profile "runner")) -}}
{{- $profiles = append $profiles (merge (dict "isExposed" (eq $expose "nodePort") "index" $index) $profile) -}}
{{- end -}}
{{- end -}}
{{- dict "profiles" $profiles | toJson -}}
{{- end -}}

{{/* The objects of `davit rbac` with the release's names in them, as JSON. Call with the root and `namespace`. */}}
{{- define "davit.objects" -}}
{{- with .root -}}
{{- .Files.Get "files/objects.json"
  | replace "DAVIT_ACCOUNT" (include "davit.account" .)
  | replace "DAVIT_HOME" .Release.Namespace
  | replace "\"restricted\"" (get .Values.agents.podSecurityOf $.namespace | default .Values.agents.podSecurity | quote)
  | replace "271828" (.Values.agents.maxAgents | int | toString)
  | replace "31415Gi" .Values.agents.maxStorage
  | replace "DAVIT_AGENTS" $.namespace -}}
{{- end -}}
{{- end -}}

{{/*
A network of a profile's `egress` as a block of addresses, JSON. `internet` is the block of `davit rbac`. Another network leaves out
the addresses of metadata services, which the same file has. Call with `network`, `place` and `never`.
*/}}
{{- define "davit.ipBlock" -}}
{{- $network := .network -}}
{{- if contains ":" $network -}}
{{- if or (lt (atoi (last (splitList "/" $network))) 33) (regexMatch "^(?i)(fd00:0?ec2|fd20:0{0,2}ce|0{0,2}64:ff9b|fe[89ab])" $network) -}}
{{- fail (printf "%s: the chart cannot leave the metadata services out of %s: set agents.create to false and apply what `davit rbac` prints" .place $network) -}}
{{- end -}}
{{- dict "cidr" $network | toJson -}}
{{- else -}}
{{- $except := list -}}
{{- range .never -}}
{{- if eq (include "davit.contains" (dict "outer" $network "inner" .)) "true" }}{{ $except = append $except . }}{{ end -}}
{{- end -}}
{{- $block := dict "cidr" $network -}}
{{- if $except }}{{ $_ := set $block "except" $except }}{{ end -}}
{{- $block | toJson -}}
{{- end -}}
{{- end -}}

{{/* Whether an IPv4 network has all addresses of another one: their leading bits are the same. */}}
{{- define "davit.contains" -}}
{{- $outer := splitList "/" .outer -}}
{{- $inner := splitList "/" .inner -}}
{{- $bits := atoi (last $outer) -}}
{{- if gt $bits (atoi (last $inner)) -}}false
{{- else -}}
{{- $size := 1 -}}
{{- range until (sub 32 $bits | int) }}{{ $size = mul $size 2 }}{{ end -}}
{{- eq (div (include "davit.number" (first $outer) | int64) $size) (div (include "davit.number" (first $inner) | int64) $size) -}}
{{- end -}}
{{- end -}}

{{- define "davit.number" -}}
{{- $number := 0 -}}
{{- range splitList "." . }}{{ $number = add (mul $number 256) (atoi .) }}{{ end -}}
{{- $number -}}
{{- end -}}

{{/* The name of every object of the release in its own namespace. */}}
{{- define "davit.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "davit.account" -}}
{{- .Values.serviceAccount.name | default (include "davit.name" .) -}}
{{- end -}}

{{- define "davit.selector" -}}
app.kubernetes.io/name: davit
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* app.kubernetes.io/managed-by: davit marks the objects of launches; the sweep deletes what is not one. */}}
{{- define "davit.labels" -}}
{{ include "davit.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: davit
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* "true" when davit serves metrics, else nothing. */}}
{{- define "davit.servesMetrics" -}}
{{- with .Values.metrics -}}
{{- if or .enabled .serviceMonitor.enabled -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{- define "davit.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "davit.publicUrl" -}}
{{- $port := ternary "" (printf ":%v" (int .Values.service.port)) (eq (int .Values.service.port) 80) -}}
{{- .Values.publicUrl | default (printf "http://%s.%s.svc%s" (include "davit.name" .) .Release.Namespace $port) | trimSuffix "/" -}}
{{- end -}}

{{/* The URL at which CI systems reach davit. A name in capitals is one that only the reader knows. */}}
{{- define "davit.webhookUrl" -}}
{{- $port := ternary "" (printf ":%v" (int .Values.service.port)) (eq (int .Values.service.port) 80) -}}
{{- if .Values.ingress.enabled -}}
{{ ternary "http" "https" (eq .Values.ingress.tlsSecretName "") }}://{{ .Values.ingress.host }}
{{- else if eq .Values.service.type "NodePort" -}}
http://NODE:{{ ternary "PORT" (int .Values.service.nodePort) (eq (int .Values.service.nodePort) 0) }}
{{- else if eq .Values.service.type "LoadBalancer" -}}
http://LOAD-BALANCER{{ $port }}
{{- else -}}
{{ include "davit.publicUrl" . }}
{{- end -}}
{{- end -}}

{{/* The port of a URL. */}}
{{- define "davit.portOf" -}}
{{- $url := urlParse . -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{/* A container that may do nothing but run: the level `restricted` of the Pod Security Standards. */}}
{{- define "davit.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "davit.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}
